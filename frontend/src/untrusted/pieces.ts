/**
 * Turns text that somebody else wrote into pieces that are safe to show: invisible or misleading characters become chips that name
 * them, and never reach the page themselves. Pure.
 */
import { lookalike } from './lookalikes'
import { classOf, hex, isSelector, labelOf, nameOf, selectorByte } from './codepoints'

export type Piece =
  | { type: 'text'; text: string }
  | { type: 'emoji'; text: string }
  | { type: 'break' }
  | { type: 'chip'; label: string; name: string; tone: 'hidden' | 'space' }
  | { type: 'lookalike'; text: string; says: string }

export interface Pieces {
  pieces: Piece[]
  /** Messages that were hidden in it, decoded: printable ASCII only. */
  decoded: string[]
}

export interface Options {
  /** Code, whose lines may begin with spaces. */
  code?: boolean
}

const BLANK_LINES = 4
const SPACES_IN_A_ROW = 9
const MARKS = 2
const DECODED = 500

const JOINING = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u
const PICTURE = /[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]/u
const FLAGS = ['gbeng', 'gbsct', 'gbwls']
const WORD = /[\p{L}\p{N}\p{M}_]+/gu

export function piecesOf(text: string, options: Options = {}): Pieces {
  const cps = [...text.replaceAll('\r\n', '\n')].map((c) => c.codePointAt(0) ?? 0)
  const out: Pieces = { pieces: [], decoded: [] }
  let plain = ''
  const flush = () => {
    if (plain) out.pieces.push(...wordsOf(plain, options.code ?? false))
    plain = ''
  }
  const chip = (label: string, name: string, tone: 'hidden' | 'space' = 'hidden') => {
    flush()
    out.pieces.push({ type: 'chip', label, name, tone })
  }
  let i = 0
  while (i < cps.length) {
    const cp = cps[i] ?? 0
    const kind = classOf(cp)
    let end = i + 1
    const run = (same: (cp: number) => boolean) => {
      while (end < cps.length && same(cps[end] ?? 0)) end++
      return end - i
    }
    switch (kind) {
      case 'tag': {
        const n = run((c) => classOf(c) === 'tag')
        const said = spelled(cps.slice(i, end).filter((c) => c >= 0xe0020 && c < 0xe007f).map((c) => c - 0xe0000))
        if (cps[i - 1] === 0x1f3f4 && FLAGS.includes(said) && cps[end - 1] === 0xe007f) break // a flag spelled in tags: drawn without them
        chip('hidden text', `hidden text, ${n} characters`)
        if (said) out.decoded.push(said)
        break
      }
      case 'selector': {
        const n = run(isSelector)
        if (n === 1 && based(cps[i - 1], cp)) {
          plain += String.fromCodePoint(cp)
          break
        }
        const said = spelled(cps.slice(i, end).map(selectorByte))
        chip(`${hex(cp)}${times(n)}`, `variation selectors without a letter, ${n}`)
        if (n > 1 && said) out.decoded.push(said)
        break
      }
      case 'invisible': {
        if (cp === 0x200d && joins(cps, i)) {
          plain += String.fromCodePoint(cp)
          break
        }
        if (cp === 0x200c && JOINING.test(charAt(cps, i - 1)) && JOINING.test(charAt(cps, i + 1))) {
          plain += String.fromCodePoint(cp)
          break
        }
        const n = run((c) => c === cp)
        chip(`${hex(cp)}${times(n)}`, `invisible character ${nameOf(cp)}${spoken(n)}`)
        break
      }
      case 'bidi': {
        const n = run((c) => c === cp)
        chip(`${labelOf(cp)}${times(n)}`, `direction control ${nameOf(cp)}${spoken(n)}`)
        break
      }
      case 'control': {
        if (cp === 0x1b) {
          const sequence = /^\[[0-?]*[ -/]*[@-~]/.exec(String.fromCodePoint(...cps.slice(i + 1, i + 24)))?.[0] ?? ''
          end += sequence.length
          chip('ESC' + sequence, `terminal command ESC${sequence}`)
          break
        }
        const n = run((c) => c === cp)
        chip(`${labelOf(cp)}${times(n)}`, `control character ${nameOf(cp)}${spoken(n)}`)
        break
      }
      case 'space': {
        const n = run((c) => c === cp)
        chip(`${labelOf(cp)}${times(n)}`, `unusual space ${nameOf(cp)}${spoken(n)}`, 'space')
        break
      }
      case 'separator':
        chip(labelOf(cp), `line break ${nameOf(cp)}`)
        out.pieces.push({ type: 'break' })
        break
      case 'private': {
        const n = run((c) => c === cp)
        chip(`${labelOf(cp)}${times(n)}`, `character without a meaning, ${labelOf(cp)}${spoken(n)}`)
        break
      }
      case 'mark': {
        const n = run((c) => classOf(c) === 'mark')
        plain += String.fromCodePoint(...cps.slice(i, i + Math.min(n, MARKS)))
        if (n > MARKS) chip(`+${n - MARKS} marks`, `${n - MARKS} more marks on one letter`)
        break
      }
      default:
        plain += String.fromCodePoint(cp)
    }
    i = end
  }
  flush()
  return out
}

/** Line breaks, padding, emoji and words of a text without hidden characters. */
function wordsOf(text: string, code: boolean): Piece[] {
  const out: Piece[] = []
  const padding = code ? /\n(?:[ \t]*\n){4,}|(?<=\S[ \t]*) {9,}| {41,}|\t{5,}|\n/g : /\n(?:[ \t]*\n){4,}| {9,}|\t{5,}|\n/g
  let at = 0
  for (const found of text.matchAll(padding)) {
    out.push(...emojiOf(text.slice(at, found.index)))
    at = found.index + found[0].length
    if (found[0] === '\n') {
      out.push({ type: 'break' })
      continue
    }
    const lines = found[0].split('\n').length - 2
    if (lines >= BLANK_LINES) {
      out.push({ type: 'break' }, { type: 'chip', label: `⋯ ${lines} blank lines ⋯`, name: `${lines} blank lines`, tone: 'space' }, { type: 'break' })
    } else if (found[0].length >= SPACES_IN_A_ROW || found[0].startsWith('\t')) {
      const what = found[0].startsWith('\t') ? 'tabs' : 'spaces'
      out.push({ type: 'chip', label: `${found[0].length} ${what}`, name: `${found[0].length} ${what} in a row`, tone: 'space' })
    }
  }
  out.push(...emojiOf(text.slice(at)))
  return out
}

function emojiOf(text: string): Piece[] {
  // eslint-disable-next-line no-misleading-character-class -- joiners, selectors and skin tones are what a picture is made of
  const emoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Presentation}|\p{Regional_Indicator})[\ufe0e\ufe0f\u200d\u{1f3fb}-\u{1f3ff}\p{Extended_Pictographic}\p{Regional_Indicator}]*/gu
  const out: Piece[] = []
  let at = 0
  for (const found of text.matchAll(emoji)) {
    out.push(...lookalikesOf(text.slice(at, found.index)), { type: 'emoji', text: found[0] })
    at = found.index + found[0].length
  }
  out.push(...lookalikesOf(text.slice(at)))
  return out
}

function lookalikesOf(text: string): Piece[] {
  if (text === '') return []
  if (/^[\x00-\x7f]*$/.test(text)) return [{ type: 'text', text }]
  const out: Piece[] = []
  let at = 0
  for (const found of text.matchAll(WORD)) {
    const says = lookalike(found[0])
    if (!says) continue
    if (found.index > at) out.push({ type: 'text', text: text.slice(at, found.index) })
    out.push({ type: 'lookalike', text: found[0], says })
    at = found.index + found[0].length
  }
  if (at < text.length) out.push({ type: 'text', text: text.slice(at) })
  return out
}

const times = (n: number) => (n > 1 ? ` ×${n}` : '')
const spoken = (n: number) => (n > 1 ? `, ${n} times` : '')
const charAt = (cps: number[], i: number) => (i >= 0 && i < cps.length ? String.fromCodePoint(cps[i] ?? 0) : '')

/** Between two emoji, after the selector of the first, or between two letters of a script that joins. */
function joins(cps: number[], i: number): boolean {
  const before = isSelector(cps[i - 1] ?? 0) ? charAt(cps, i - 2) : charAt(cps, i - 1)
  const after = charAt(cps, i + 1)
  return (PICTURE.test(before) && PICTURE.test(after)) || (JOINING.test(before) && JOINING.test(after))
}

/** Whether a selector can change how its base is drawn. */
function based(base: number | undefined, selector: number): boolean {
  if (base === undefined) return false
  const char = String.fromCodePoint(base)
  if (selector === 0xfe0e || selector === 0xfe0f) return /[\p{Emoji}\p{Extended_Pictographic}]/u.test(char)
  return /[\p{Script=Han}\p{Script=Mongolian}\p{Script=Phags_Pa}]/u.test(char)
}

/** Bytes as the message they spell; as hex if they spell none. */
function spelled(bytes: number[]): string {
  const cut = bytes.length > DECODED ? ' … (cut)' : ''
  const head = bytes.slice(0, DECODED)
  if (head.every((b) => b >= 0x20 && b < 0x7f)) return String.fromCharCode(...head) + cut
  return head.map((b) => b.toString(16).padStart(2, '0')).join(' ') + cut
}
