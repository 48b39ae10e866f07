/** Short names that a server chose, where they stand in sentences of ours. */

const SAFE = /^[A-Za-z0-9 ._-]{1,32}$/

export const isSafeName = (name: string) => SAFE.test(name) && name.trim() !== ''

/** For labels, titles and everything that is no element: the name where it is harmless, else what it is. */
export function plainName(name: string, otherwise: string): string {
  return isSafeName(name) ? name : otherwise
}

/** At most `most` graphemes, cut in the middle: both ends of a name tell it apart. Of a text, cut at its end. */
export function shortened(name: string, most = 32, text = false): string {
  const graphemes = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name.slice(0, 4096))].map((s) => s.segment)
  if (graphemes.length <= most) return graphemes.join('')
  if (text) return graphemes.slice(0, most - 1).join('') + '…'
  const half = Math.floor((most - 1) / 2)
  return graphemes.slice(0, most - 1 - half).join('') + '…' + graphemes.slice(-half).join('')
}
