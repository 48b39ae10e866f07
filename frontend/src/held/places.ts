import type { HeldPart } from '../lib/api'
import type { Warning } from '../review/findings'

/** The place of a warning in a part: bytes of the whole part, and the page on which it begins. */
export interface Place {
  number: number
  start: number
  end: number
  page: number
}

/** The marks of a part, one for each passage. */
export function placesOf(part: HeldPart, warnings: readonly Warning[]): Place[] {
  return warnings.flatMap(({ number, indexes }) => {
    const marks = part.marks.filter((m) => indexes.includes(m.finding))
    if (marks.length === 0) return []
    return [{ number, start: Math.min(...marks.map((m) => m.start)), end: Math.max(...marks.map((m) => m.end)), page: Math.min(...marks.map((m) => m.page)) }]
  })
}
