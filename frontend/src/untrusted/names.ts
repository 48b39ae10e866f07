/** Short names that a server chose, where they stand in sentences of ours. */

/** As the program shows names (inspect.MaxShownName). */
const SHOWN = 64

/** What tells names apart that a reader could take for each other (inspect.MarkedName): it is never cut. */
const MARK = / ·[0-9a-f]{4}$/

const SAFE = /^[A-Za-z0-9 ._-]{1,32}$/

export const isSafeName = (name: string) => SAFE.test(name) && name.trim() !== ''

/** For labels, titles and everything that is no element: the name where it is harmless, else what it is. */
export function plainName(name: string, otherwise: string): string {
  return isSafeName(name) ? name : otherwise
}

// What the hub never leaves in the name of a server: controls, what is not drawn, what changes the direction. The joiners and the selector of
// emoji and of scripts that join are no such thing.
const UNSEEN = /[^\P{C}\u200c\u200d]|[\u2028\u2029\n\r\t]/u

/** The name of a server, in any script, for labels and titles: the hub has cleaned it (inspect.PersonName). */
export function serverName(name: string, otherwise: string): string {
  return name.trim() === '' || UNSEEN.test(name) ? otherwise : shortened(name)
}

/** At most `most` graphemes, cut in the middle: both ends of a name tell it apart. Its mark comes on top. Of a text, cut at its end. */
export function shortened(name: string, most = SHOWN, text = false): string {
  const mark = text ? '' : (MARK.exec(name)?.[0] ?? '')
  return cut(name.slice(0, name.length - mark.length), most, text) + mark
}

function cut(name: string, most: number, text: boolean): string {
  const graphemes = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name.slice(0, 4096))].map((s) => s.segment)
  if (graphemes.length <= most) return graphemes.join('')
  if (text) return graphemes.slice(0, most - 1).join('') + '…'
  const half = Math.floor((most - 1) / 2)
  return graphemes.slice(0, most - 1 - half).join('') + '…' + graphemes.slice(-half).join('')
}
