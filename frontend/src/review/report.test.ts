import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lookAt, settle } from '../test/look'
import { REWORDED, reviewOf } from '../test/reviews'
import { findingOf } from '../test/rooms'
import { verdictOf } from './findings'
import { reportOf } from './report'

beforeEach(() => vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a report of a warning is plain text in which nothing can hide', () => {
  const report = reportOf({ number: 1, item: '', more: [], indexes: [0], start: 0, end: 4, finding: findingOf({ match: '\u001b[31mred\u202etxt\n[Allow]' + 'x'.repeat(5000), decoded: '' }) })
  expect(report.split('\n')).toHaveLength(6)
  expect(report).toContain('Matched  \\u{1b}[31mred\\u{202e}txt\\u{a}[Allow]')
  expect(report.length).toBeLessThan(700)
})

it.each([
  ['name_collision', 'Same as', 'It takes a name that belongs to something else.'],
  ['tool_imitation', 'Imitates', 'Its name imitates another server’s tool.'],
])('the other of two names (%s) is not called a hidden message', async (rule, word, verdict) => {
  const finding = findingOf({ rule, level: 'critical', title: 'Its name imitates another server’s tool', match: 'DUP', decoded: 'dup' })
  const about = { number: 1, item: '', more: [], indexes: [0], start: 0, end: 3, finding }
  expect(reportOf(about)).toMatch(new RegExp(`^${word} +dup$`, 'm'))
  expect(verdictOf(finding)).toBe(verdict)
  await lookAt(reviewOf({ details: [{ ...REWORDED, findings: [finding] }] }))
  expect(screen.getByText(word)).toBeInTheDocument()
  expect(screen.queryByText('Decoded')).toBeNull()
})

it('a warning that is thought to be a mistake is copied, and nothing else happens', async () => {
  const writeText = vi.fn(async () => undefined)
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
  const { allowed, kept } = await lookAt(reviewOf({ details: [{ ...REWORDED, findings: [findingOf({ level: 'high' })] }] }))
  await fireEvent.click(screen.getByRole('button', { name: /^Think this is a mistake\?/ }))
  await settle()
  expect(writeText).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('Rule     reads_private_files'))
  expect(screen.getByText('Copied the rule, place and match. Nothing was sent.')).toBeInTheDocument()
  expect([...allowed, ...kept]).toEqual([])
})
