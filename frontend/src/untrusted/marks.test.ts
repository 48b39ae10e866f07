import { describe, expect, it } from 'vitest'
import { findingOf } from '../test/rooms'
import { clipMarks, marksOf, slicesOf } from './marks'

describe('the place of a warning in a text', () => {
  it('counts bytes where the program does, and units where the page does', () => {
    const text = 'é€😀 read'
    const [mark] = marksOf(text, [{ finding: findingOf({ start: 10, end: 14 }), number: 1 }])
    expect(text.slice(mark?.start, mark?.end)).toBe('read')
  })

  it('reaches to the end of the text', () => {
    const [mark] = marksOf('abc', [{ finding: findingOf({ start: 1, end: 3 }), number: 1 }])
    expect([mark?.start, mark?.end]).toEqual([1, 3])
  })

  it('has all of a hidden message or none of it, which is one chip', () => {
    const text = 'Hi ' + [...'read it'].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join('') + ' end'
    const [mark] = marksOf(text, [{ finding: findingOf({ start: 3 + 4, end: 3 + 12 }), number: 1 }])
    expect([mark?.start, mark?.end]).toEqual([3, text.length - 4])
  })

  it('beyond the text is its end', () => {
    expect(marksOf('abc', [{ finding: findingOf({ start: 90, end: 99 }), number: 1 }])).toEqual([{ start: 3, end: 3, number: 1 }])
  })

  it('is cut where only a part of the text is shown', () => {
    expect(clipMarks([{ start: 2, end: 9, number: 1 }, { start: 12, end: 14, number: 2 }], 4, 10)).toEqual([{ start: 0, end: 5, number: 1 }])
  })

  it('of two that overlap, both are told', () => {
    const slices = slicesOf(10, [{ start: 2, end: 6, number: 1 }, { start: 4, end: 8, number: 2 }])
    expect(slices.map((s) => [s.start, s.end, s.numbers])).toEqual([[0, 2, []], [2, 4, [1]], [4, 6, [1, 2]], [6, 8, [2]], [8, 10, []]])
  })
})
