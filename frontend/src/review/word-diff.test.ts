import { describe, expect, it } from 'vitest'
import type { Segment } from '../lib/api'
import { blocksOf, cutDiff, diffOf, sidesOf } from './word-diff'

const seg = (op: Segment['op'], text: string): Segment => ({ op, text })
const said = (segments: Segment[]) => diffOf(segments, []).lines.map((l) => `${l.sign || ' '} ${l.runs.map((r) => r.pieces.map((p) => ('text' in p ? p.text : 'label' in p ? `⟦${p.label}⟧` : '')).join('')).join('|')}`)

describe('a word-level diff', () => {
  it('has a sign on every line that changed, so that no colour is needed', () => {
    expect(said([seg('equal', 'one\ntwo '), seg('delete', 'a'), seg('insert', 'b'), seg('equal', '\nthree\n'), seg('insert', 'four')])).toEqual(['  one', '± two |a|b', '  three', '+ four'])
  })

  it('keeps empty lines', () => expect(said([seg('equal', 'a\n\nb')])).toEqual(['  a', '  ', '  b']))

  it('of nothing is one empty line', () => expect(said([])).toEqual(['  ']))

  it('folds a long stretch that did not change, and nothing with a warning in it', () => {
    const same = 'l1\nl2\nl3\nl4\nl5\n'
    const diff = diffOf([seg('equal', same), seg('insert', 'new')], [])
    expect(blocksOf(diff.lines).map((b) => [b.kind, b.lines.length])).toEqual([['fold', 5], ['lines', 1]])
    const marked = diffOf([seg('equal', same), seg('insert', 'new')], [{ start: 6, end: 8, number: 1 }])
    expect(blocksOf(marked.lines).map((b) => [b.kind, b.lines.length])).toEqual([['lines', 6]])
  })

  it('places a warning in the new text, past what was taken out', () => {
    const { lines } = diffOf([seg('equal', 'ab'), seg('delete', 'xxxx'), seg('insert', 'cd')], [{ start: 2, end: 4, number: 7 }])
    expect(lines[0]?.runs.map((r) => [r.op, r.numbers])).toEqual([['equal', []], ['delete', []], ['insert', [7]]])
  })

  it('has two sides: what was taken out stands on the one, what was put in and its warnings on the other', () => {
    const [line] = diffOf([seg('equal', 'next '), seg('delete', '5'), seg('insert', '7'), seg('equal', ' days')], [{ start: 0, end: 6, number: 1 }]).lines
    const { before, after } = sidesOf(line ?? { runs: [], sign: '' })
    expect([before.sign, before.runs.map((r) => r.op), before.runs.flatMap((r) => r.numbers)]).toEqual(['−', ['equal', 'delete', 'equal'], []])
    expect([after.sign, after.runs.map((r) => r.op)]).toEqual(['+', ['equal', 'insert', 'equal']])
    expect(after.runs.flatMap((r) => r.numbers)).toContain(1)
  })

  it('is cut after so many characters and says how many are left', () => {
    expect(cutDiff([seg('equal', 'abc'), seg('insert', 'defg')], 5)).toEqual({ shown: [seg('equal', 'abc'), seg('insert', 'de')], left: 2 })
  })
})
