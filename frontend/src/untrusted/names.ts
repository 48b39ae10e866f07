/** Short names chosen by a server, in sentences of ours. */

/** The program's limit for names (inspect.MaxShownName). */
const SHOWN = 64

/** The suffix for names that a reader could confuse (inspect.MarkedName): never cut off. */
const MARK = / ·[0-9a-f]{4}$/

const SAFE = /^[A-Za-z0-9 ._-]{1,32}$/

export const isSafeName = (name: string) => SAFE.test(name) && name.trim() !== ''

/** For labels, titles and other plain text: the name if it is harmless, else its kind. */
export function plainName(name: string, otherwise: string): string {
  return isSafeName(name) ? name : otherwise
}

// Characters that the hub never leaves in a server's name: controls, invisible characters, and those that change the direction. Joiners
// and selectors of emoji and of scripts that join are allowed.
const UNSEEN = /[^\P{C}\u200c\u200d]|[\u2028\u2029\n\r\t]/u

/** The name of a server, in any script, for labels and titles: the hub has cleaned it (inspect.PersonName). */
export function serverName(name: string, otherwise: string): string {
  return name.trim() === '' || UNSEEN.test(name) ? otherwise : shortened(name)
}

/**
 * At most `most` graphemes, cut in the middle: both ends help to tell names apart. The suffix comes on top. A text is cut at its end.
 */
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
