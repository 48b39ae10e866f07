import type { HeldPart } from '../lib/api'
import type { Warning } from '../review/findings'
import { clipMarks, marksOf, type Mark } from '../untrusted/marks'
import { placesOf } from './places'

const BEFORE = 60
const AFTER = 80
const MOST = 420
/** Two marks this close belong to one statement. */
const NEAR = 160

export interface Excerpt {
  /** server text */
  text: string
  marks: Mark[]
}

/** The words around the most serious warning on the first page of a part, with other marks nearby. */
export function excerptOf(parts: HeldPart[], grave: Warning[], warnings: Warning[]): Excerpt | null {
  for (const warning of grave) {
    if (warning.finding.decoded) continue // the hidden text itself is shown instead
    for (const part of parts) {
      if (part.code || !part.marks.some((m) => warning.indexes.includes(m.finding) && m.page === 0)) continue
      return around(part, warnings, warning.number)
    }
  }
  return null
}

function around(part: HeldPart, warnings: Warning[], number: number): Excerpt | null {
  const text = part.first.text
  const marks = marksOf(text, placesOf(part, warnings).filter((m) => m.page === 0).map((m) => ({ finding: m, number: m.number }))).sort((a, b) => a.start - b.start)
  const main = marks.find((m) => m.number === number)
  if (!main) return null
  let { start, end } = main
  for (let grew = true; grew; ) {
    grew = false
    for (const mark of marks) {
      const from = Math.min(start, mark.start)
      const to = Math.max(end, mark.end)
      if (mark.start > end + NEAR || mark.end < start - NEAR || to - from > MOST || (from === start && to === end)) continue
      ;[start, end, grew] = [from, to, true]
    }
  }
  const from = wordStart(text, Math.max(0, start - BEFORE))
  const to = wordEnd(text, Math.min(text.length, Math.min(end, start + MOST) + AFTER))
  const head = from > 0 ? '… ' : ''
  const moved = together(clipMarks(marks, from, to)).map((m) => ({ ...m, start: m.start + head.length, end: m.end + head.length }))
  return { text: head + text.slice(from, to) + (to < text.length || part.pages > 1 ? ' …' : ''), marks: moved }
}

/** Merges overlapping marks: the full text tells them apart. */
function together(marks: Mark[]): Mark[] {
  const out: Mark[] = []
  for (const mark of marks) {
    const last = out.at(-1)
    if (last && mark.start <= last.end) last.end = Math.max(last.end, mark.end)
    else out.push({ ...mark })
  }
  return out
}

/** Don't cut a word, unless it isn't one. */
function wordStart(text: string, at: number): number {
  const space = at === 0 ? 0 : text.slice(at, at + 30).search(/\s/)
  return at === 0 ? 0 : space < 0 ? whole(text, at) : at + space + 1
}

function wordEnd(text: string, at: number): number {
  const space = at >= text.length ? -1 : text.slice(at, at + 30).search(/\s/)
  return at >= text.length ? text.length : space < 0 ? whole(text, at) : at + space
}

/** Not between the two halves of a character. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at
}
