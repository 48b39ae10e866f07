import type { Segment } from '../lib/api'
import { clipMarks, slicesOf, type Mark } from '../untrusted/marks'
import { piecesOf, type Piece } from '../untrusted/pieces'

/** A run of one line that was kept, removed or added, ready to be shown. */
export interface Run {
  op: Segment['op']
  pieces: Piece[]
  /** Numbers of the warnings about it. */
  numbers: number[]
  /** A mark ends here: its numbers follow. */
  last: boolean
}

export interface Line {
  runs: Run[]
  sign: '' | '+' | '−' | '±'
}

export interface Diff {
  lines: Line[]
  decoded: string[]
}

/** Lines of a word-level diff. Marks are places in the new text: kept and added runs. */
export function diffOf(segments: Segment[], marks: Mark[]): Diff {
  const out: Diff = { lines: [], decoded: [] }
  let line: Run[] = []
  let at = 0 // in the new text
  const end = () => {
    const del = line.some((r) => r.op === 'delete')
    const ins = line.some((r) => r.op === 'insert')
    out.lines.push({ runs: line, sign: del && ins ? '±' : ins ? '+' : del ? '−' : '' })
    line = []
  }
  for (const { op, text } of segments) {
    const here = op === 'delete' ? [] : clipMarks(marks, at, at + text.length)
    if (op !== 'delete') at += text.length
    for (const slice of slicesOf(text.length, here)) {
      const { pieces, decoded } = piecesOf(text.slice(slice.start, slice.end))
      out.decoded.push(...decoded)
      const runs: Run[] = [{ op, pieces: [], numbers: slice.numbers, last: false }]
      for (const piece of pieces) {
        if (piece.type !== 'break') {
          runs.at(-1)?.pieces.push(piece)
          continue
        }
        const run = runs.at(-1)
        if (run && run.pieces.length > 0) line.push(run)
        end()
        runs.push({ op, pieces: [], numbers: slice.numbers, last: false })
      }
      const run = runs.at(-1)
      if (run && run.pieces.length > 0) {
        run.last = slice.numbers.length > 0
        line.push(run)
      }
    }
  }
  if (line.length > 0 || out.lines.length === 0) end()
  return out
}

/** The line before and after. Warnings are about the new text only. */
export function sidesOf(line: Line): { before: Line; after: Line } {
  const kept = line.runs.filter((r) => r.op !== 'insert').map((r) => ({ ...r, numbers: [], last: false }))
  return {
    before: { runs: kept, sign: line.sign === '±' || line.sign === '−' ? '−' : '' },
    after: { runs: line.runs.filter((r) => r.op !== 'delete'), sign: line.sign === '±' || line.sign === '+' ? '+' : '' },
  }
}

export type Block = { kind: 'lines'; lines: Line[] } | { kind: 'fold'; lines: Line[] }

/** Folds unchanged stretches of more than `most` lines. */
export function blocksOf(lines: Line[], most = 3): Block[] {
  const out: Block[] = []
  let same: Line[] = []
  const push = (kind: Block['kind'], block: Line[]) => {
    const before = out.at(-1)
    if (before?.kind === 'lines' && kind === 'lines') before.lines.push(...block)
    else if (block.length > 0) out.push({ kind, lines: [...block] })
  }
  const settle = () => {
    push(same.length > most ? 'fold' : 'lines', same)
    same = []
  }
  for (const line of lines) {
    if (line.sign === '' && line.runs.every((r) => r.numbers.length === 0)) same.push(line)
    else {
      settle()
      push('lines', [line])
    }
  }
  settle()
  return out
}

/** The first `most` characters of a diff, and how many are left out. */
export function cutDiff(segments: Segment[], most: number): { shown: Segment[]; left: number } {
  const shown: Segment[] = []
  let room = most
  let left = 0
  for (const segment of segments) {
    const text = [...segment.text].length > room ? [...segment.text].slice(0, room).join('') : segment.text
    left += segment.text.length - text.length
    room = Math.max(0, room - text.length)
    if (text) shown.push({ op: segment.op, text })
  }
  return { shown, left }
}
