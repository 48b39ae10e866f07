/** What single code points do to a reader: the table behind the chips. */

export const hex = (cp: number) => 'U+' + cp.toString(16).toUpperCase().padStart(4, '0')

const NAMES: Record<number, string> = {
  0x00ad: 'soft hyphen', 0x034f: 'grapheme joiner', 0x061c: 'arabic letter mark', 0x115f: 'hangul filler', 0x1160: 'hangul filler',
  0x17b4: 'khmer inherent vowel', 0x17b5: 'khmer inherent vowel', 0x180e: 'mongolian vowel separator',
  0x200b: 'zero width space', 0x200c: 'zero width non-joiner', 0x200d: 'zero width joiner', 0x200e: 'left-to-right mark', 0x200f: 'right-to-left mark',
  0x2060: 'word joiner', 0x2061: 'function application', 0x2062: 'invisible times', 0x2063: 'invisible separator', 0x2064: 'invisible plus',
  0x2800: 'empty braille pattern', 0x3164: 'hangul filler', 0xfeff: 'zero width no-break space', 0xffa0: 'halfwidth hangul filler',
  0x202a: 'left-to-right embedding', 0x202b: 'right-to-left embedding', 0x202c: 'end of embedding', 0x202d: 'left-to-right override',
  0x202e: 'right-to-left override', 0x2066: 'left-to-right isolate', 0x2067: 'right-to-left isolate', 0x2068: 'first strong isolate', 0x2069: 'end of isolate',
  0x2028: 'line separator', 0x2029: 'paragraph separator', 0x0085: 'next line',
}

const SPACES: Record<number, string> = {
  0x00a0: 'nbsp', 0x1680: 'ogham space', 0x2000: 'en quad', 0x2001: 'em quad', 0x2002: 'en space', 0x2003: 'em space', 0x2004: 'thin space',
  0x2005: 'thin space', 0x2006: 'thin space', 0x2007: 'figure space', 0x2008: 'punctuation space', 0x2009: 'thin space', 0x200a: 'hair space',
  0x202f: 'narrow nbsp', 0x205f: 'math space', 0x3000: 'wide space',
}

const INVISIBLE = new Set([0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x2800, 0x3164, 0xfeff, 0xffa0])

const CONTROLS = 'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(' ')

export type Class = 'plain' | 'invisible' | 'bidi' | 'tag' | 'selector' | 'control' | 'space' | 'separator' | 'private' | 'mark' | 'emoji'

export function classOf(cp: number): Class {
  if (cp >= 0x20 && cp < 0x7f) return 'plain'
  if (cp === 0x0a || cp === 0x09) return 'plain'
  if (cp === 0x85 || cp === 0x2028 || cp === 0x2029) return 'separator'
  if (cp < 0x20 || (cp >= 0x7f && cp <= 0x9f)) return 'control'
  if ((cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069)) return 'bidi'
  if (INVISIBLE.has(cp) || (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2060 && cp <= 0x2064)) return 'invisible'
  if (SPACES[cp]) return 'space'
  if (cp >= 0xe0000 && cp <= 0xe007f) return 'tag'
  if (isSelector(cp)) return 'selector'
  const char = String.fromCodePoint(cp)
  if (/\p{Cs}|\p{Co}|\p{Cn}/u.test(char)) return 'private'
  if (/\p{Cf}/u.test(char)) return 'invisible'
  if (/\p{M}/u.test(char)) return 'mark'
  if (/\p{Extended_Pictographic}|\p{Emoji_Presentation}|\p{Regional_Indicator}/u.test(char)) return 'emoji'
  return 'plain'
}

export const isSelector = (cp: number) => (cp >= 0xfe00 && cp <= 0xfe0f) || (cp >= 0xe0100 && cp <= 0xe01ef)

/** The byte that a variation selector carries when it is misused for data. */
export const selectorByte = (cp: number) => (cp <= 0xfe0f ? cp - 0xfe00 : cp - 0xe0100 + 16)

/** What a chip says of one code point. */
export function labelOf(cp: number): string {
  const c = classOf(cp)
  if (c === 'space') return SPACES[cp] ?? hex(cp)
  if (cp === 0x1b) return 'ESC'
  if (c === 'private') return `${hex(cp)} ${/\p{Co}/u.test(String.fromCodePoint(cp)) ? 'private' : /\p{Cs}/u.test(String.fromCodePoint(cp)) ? 'half a character' : 'unassigned'}`
  if (c === 'bidi') return `${hex(cp)} ${cp === 0x202e || cp === 0x202b || cp === 0x2067 ? 'right-to-left' : cp === 0x202c || cp === 0x2069 ? 'end' : 'left-to-right'}`
  return hex(cp)
}

/** What a screen reader says of it. */
export function nameOf(cp: number): string {
  const control = cp < 0x20 ? CONTROLS[cp] : cp === 0x7f ? 'DEL' : undefined
  const name = NAMES[cp] ?? SPACES[cp] ?? control ?? ''
  return `${hex(cp)}${name ? ' ' + name : ''}`
}
