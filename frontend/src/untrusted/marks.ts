import type { Finding } from '../lib/api'

/** A place in a text that a warning is about, in UTF-16 units. */
export interface Mark {
  start: number
  end: number
  /** the warning's number on this page */
  number: number
}

export interface Slice {
  start: number
  end: number
  numbers: number[]
}

/** A finding counts bytes of UTF-8, but a string here has UTF-16 units. Turns sorted, unique byte offsets into a lookup. */
export function unitsOf(text: string, bytes: number[]): Map<number, number> {
  const wanted = [...new Set(bytes)].sort((a, b) => a - b)
  const out = new Map<number, number>()
  let byte = 0
  let unit = 0
  let next = 0
  for (const char of text) {
    while (next < wanted.length && (wanted[next] ?? 0) <= byte) out.set(wanted[next++] ?? 0, unit)
    const cp = char.codePointAt(0) ?? 0
    byte += cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4
    unit += char.length
  }
  while (next < wanted.length) out.set(wanted[next++] ?? 0, text.length)
  return out
}

/** Runs of characters that spell a hidden message: each is shown as one chip, so a mark covers all of a run or none of it. */
const SPELLED = /[\u{e0000}-\u{e007f}]+|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu

export function marksOf(text: string, findings: { finding: Pick<Finding, 'start' | 'end'>; number: number }[]): Mark[] {
  const spans = findings.filter(({ finding }) => finding.end > finding.start)
  const units = unitsOf(text, spans.flatMap(({ finding }) => [finding.start, finding.end]))
  const runs = [...text.matchAll(SPELLED)].map((run) => ({ start: run.index, end: run.index + run[0].length }))
  return spans.map(({ finding, number }) => {
    const mark = { start: units.get(finding.start) ?? 0, end: units.get(finding.end) ?? 0, number }
    for (const run of runs) {
      if (mark.start > run.start && mark.start < run.end) mark.start = run.start
      if (mark.end > run.start && mark.end < run.end) mark.end = run.end
    }
    return mark
  })
}

/** The marks within [from, to), shifted to start there. */
export function clipMarks(marks: Mark[], from: number, to: number): Mark[] {
  return marks
    .map((m) => ({ ...m, start: Math.max(m.start, from) - from, end: Math.min(m.end, to) - from }))
    .filter((m) => m.end > m.start)
}

/** The text, cut wherever a mark begins or ends. */
export function slicesOf(length: number, marks: Mark[]): Slice[] {
  const cuts = [...new Set([0, length, ...marks.flatMap((m) => [m.start, m.end])])].filter((c) => c >= 0 && c <= length).sort((a, b) => a - b)
  return cuts.slice(1).map((end, i) => {
    const start = cuts[i] ?? 0
    return { start, end, numbers: marks.filter((m) => m.start <= start && m.end >= end).map((m) => m.number) }
  })
}
