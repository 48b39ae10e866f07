import { expect, it } from 'vitest'
import { findingOf } from '../test/rooms'
import { warningsOf } from './findings'
import { partOf, reviewOf } from '../test/reviews'
import { passagesOf } from './passages'

const at = (start: number, end: number, where = 'description') => findingOf({ where, start, end })

it.each([
  ['overlapping findings', [at(0, 20), at(10, 30)], [[0, 1]]],
  ['one inside the other', [at(0, 100), at(10, 20), at(90, 95)], [[0, 1, 2]]],
  ['neighbours in one sentence', [at(9, 38), at(41, 45), at(57, 85), at(113, 133)], [[0, 1, 2, 3]]],
  ['two ends of a long text', [at(0, 20), at(400, 420)], [[0], [1]]],
  ['the same place of two texts', [at(0, 20), at(0, 20, 'title')], [[0], [1]]],
  ['findings in any order', [at(400, 420), at(0, 20), at(15, 25)], [[1, 2], [0]]],
  ['what has no place', [at(0, 0), at(0, 0)], [[0], [1]]],
  ['none', [], []],
])('%s', (_, findings, passages) => {
  expect(passagesOf(findings)).toEqual(passages)
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
