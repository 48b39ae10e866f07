import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import cases from '../../../proxy/inspect/testdata/passages.json'
import { findingOf } from '../test/rooms'
import { signsOf, warningsOf } from './findings'
import { foldingOf } from '../test/passages'
import { partOf, reviewOf } from '../test/reviews'
import { passagesOf } from './passages'
import WeakSigns from './WeakSigns.svelte'

// The program's tests read the same file (proxy/inspect/finding_test.go).
it.each(cases.map((c) => [c.name, c.findings, c.passages] as const))('%s', (_, given, passages) => {
  const findings = given.map((f) => findingOf(f as Parameters<typeof findingOf>[0]))
  expect(foldingOf(findings)).toEqual(passages)
  const warnings = warningsOf(reviewOf({ details: [partOf('a', { findings, passages })] }))
  const weak = (passage: readonly number[]) => passage.every((i) => findings[i]?.level === 'low')
  expect(warnings.map((w) => w.indexes)).toEqual(passages.filter((p) => !weak(p)))
  expect(signsOf(findings, passages)).toEqual(passages.filter(weak).flatMap((p) => p.map((i) => findings[i])))
})

it.each([
  ['as the program folded them', 4, [[2, 0], [1, 3]], [[2, 0], [1, 3]]],
  ['one that no passage has stands alone', 3, [[1]], [[1], [0], [2]]],
  ['one that two passages have is in the first', 2, [[0, 1], [1]], [[0, 1]]],
  ['one that is not there is left out', 1, [[0, 7], [-1]], [[0]]],
  ['of none that were folded all are shown', 2, [], [[0], [1]]],
])('%s', (_, found, given, passages) => {
  expect(passagesOf(found, given)).toEqual(passages)
})

it('a passage is one warning, by the gravest of what was found in it, and loses nothing', () => {
  const mild = findingOf({ rule: 'sensitive_source', level: 'medium', title: 'Names a key', where: 'description', start: 41, end: 45 })
  const grave = findingOf({ rule: 'concealment', level: 'critical', title: 'Hides it from you', where: 'description', start: 60, end: 80 })
  const far = findingOf({ rule: 'way_out', level: 'high', title: 'Names a place', where: 'description', start: 900, end: 920 })
  const warnings = warningsOf(reviewOf({ details: [partOf('a', { findings: [mild, far, grave] })] }))
  expect(warnings.map((w) => [w.number, w.finding.rule, w.more.map((f) => f.rule), w.start, w.end])).toEqual([
    [1, 'concealment', ['sensitive_source'], 41, 80],
    [2, 'way_out', [], 900, 920],
  ])
  expect(warnings.flatMap((w) => w.indexes).sort()).toEqual([0, 1, 2])
})

it('weak signs are folded, and no warning', async () => {
  const grave = findingOf({ rule: 'way_out', level: 'high', title: 'Names a place', where: 'description', start: 0, end: 20 })
  const sign = findingOf({ rule: 'attention_hijack', level: 'low', title: 'It presses for attention', where: 'description', start: 400, end: 410 })
  expect(warningsOf(reviewOf({ details: [partOf('a', { findings: [grave, sign] })] })).map((w) => w.finding.rule)).toEqual(['way_out'])
  render(WeakSigns, { id: 'signs', findings: [sign, { ...sign, start: 500, end: 510 }], from: 'mail' })
  expect(screen.queryByText(/presses for attention/)).toBeNull()
  await fireEvent.click(screen.getByRole('button', { name: '2 weak signs, too little for a warning' }))
  expect(screen.getByText(/It presses for attention \(2 times\)/)).toBeVisible()
  expect(screen.getByText('Rule: attention hijack')).toBeVisible()
})
