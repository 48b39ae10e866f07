import { fireEvent, render, screen } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { ActivityRecord } from '../../lib/api'
import { readRoute } from '../../lib/route'
import { apiOf, overviewOf, rowOf, timeline, written } from '../../test/rooms'
import Activity from './Activity.svelte'
import { factsOf } from './decided'
import { plainBlock } from './plain'
import { sentence, summaryOf } from './words'

const recordOf = (detail: unknown, with_: Partial<ActivityRecord> = {}): ActivityRecord => ({
  ...rowOf(1, { kind: 'policy_decision', status: 'warned', ...with_ }), detail: typeof detail === 'string' ? detail : JSON.stringify(detail), session: '', request: '', prev: '', hash: '',
})
const lines = (detail: unknown, mode = 'always') => factsOf(recordOf(detail, { mode })).map(({ label, words }) => `${label}: ${words}`)

const VIOLATION = { keyword: 'required', schema: '/properties/day/required/0', instance: '/day', message: 'lacks the property "wind"', more: 2 }

describe('what a check found', () => {
  it.each<[string, unknown, string, string[]]>([
    ['a response that isn’t what its tool promised', { check: 'output_schema', violation: VIOLATION }, 'strict', [
      'Check: Form of the response', 'Your setting: Block it', 'What is wrong: lacks the property "wind", and 2 more', 'Where: /day', 'Broken promise: required at /properties/day/required/0',
    ]],
    ['a response that is too large for that', { check: 'output_schema', violation: { keyword: 'size', schema: '', instance: '', message: 'has 9 MiB', more: 0 } }, 'warn', [
      'Check: Form of the response', 'Your setting: Tell me in Activity', 'What is wrong: has 9 MiB', 'Broken promise: size',
    ]],
    ['words that were replaced', { check: 'spotlight', triggers: 3, tags: 1 }, 'on', ['Check: Marks around what a server sends', 'Your setting: Always', 'Words replaced: 3', 'Marks replaced: 1']],
    ['words that were replaced because a call asked for it', { check: 'spotlight', triggers: 1, tags: 0 }, 'call', ['Check: Marks around what a server sends', 'Your setting: None: this call asked for it', 'Words replaced: 1']],
    ['verdicts of providers', { check: 'guardrail', guardrails: [
      { provider: 'command', verdict: 'flag', score: 0.6, duration_ms: 12 }, { provider: 'http', verdict: '', failed: 'no answer in time' }, { provider: 'llamafirewall', verdict: '', not_asked: 'guardrail.remote is off' },
    ] }, 'hold', [
      'Check: Extra checks', 'Your setting: Hold it for review', 'Checked by command: finds it suspicious, in 12 ms', 'Checked by http: couldn’t judge it: no answer in time', 'Checked by llamafirewall: not asked: guardrail.remote is off',
    ]],
    ['a failed provider that was not waited for', { check: 'inspect', verdict: 'clean', guardrails: [{ provider: 'command', failed: 'ended' }] }, 'builtin', [
      'Check: Orders to Claude', 'Your setting: Let Sallyport’s own rules decide', 'Checked by command: couldn’t judge it: ended',
    ]],
    ['words of a tool about itself', { check: 'descriptions', item: 'tool:add', rules: ['instruction_override', 'concealment'] }, 'redact', [
      'Check: What tools say about themselves', 'Your setting: Replace the words', 'About: tool:add', 'Rules: instruction override, concealment',
    ]],
    ['a name that was cut', { check: 'gate', delivered_as: 'weather' }, 'always', ['Check: What you allowed', 'Name for Claude: weather']],
    ['a call that passes on what a server said', { check: 'flow', rules: [1] }, 'note', ['Check: What a call passes on', 'Your setting: Let it run, and record it']],
    ['a reply to whoever wrote, which is only recorded', { check: 'flow', rules: [1] }, 'ask', ['Check: What a call passes on', 'Your setting: Ask me']],
    ['a definition that was cleaned', { check: 'sanitizer', count: 1 }, 'strict', ['Check: What Claude reads about a tool', expect.stringMatching(/^Your setting: (?!strict$)/)]],
    ['terminal commands', { check: 'ansi', count: 1 }, 'strip', ['Check: Terminal commands', expect.stringMatching(/^Your setting: (?!strip$)/)]],
    ['nothing more than a check', { check: 'gate' }, 'always', []],
    ['nothing that can be read', '{', 'always', []],
    ['no object', '[1]', 'always', []],
    ['values of other kinds', { check: 7, violation: 'x', guardrails: [null, 5], rules: 'x', triggers: 'many' }, 'always', []],
  ])('%s', (_, detail, mode, want) => {
    expect(lines(detail, mode)).toEqual(want)
  })

  it('is copied with the record', () => {
    const record = recordOf({ check: 'output_schema', violation: VIOLATION }, { mode: 'strict' })
    expect(plainBlock(record, record)).toContain('What is wrong lacks the property "wind", and 2 more')
  })

  it('is summed up without words of the command line', () => {
    const summary = 'its response doesn\'t match its output schema (required at /required/0)'
    expect(summaryOf(rowOf(1, { kind: 'policy_decision', check: 'output_schema', summary }))).toBe('Its response isn’t what the tool promised')
    expect(summaryOf(rowOf(1, { kind: 'guard_problem', check: 'guardrail', summary: 'it failed' }))).toBe('It failed')
  })

  it.each([
    ['output_validation.mode: warn → strict (from the command line)', '“When a response isn’t what its tool promised”: Tell me in Activity → Block it (from the command line)'],
    ['guardrail.command.argv: off → ["/tmp/Verified by Sallyport"] (from the command line)', '“Your program” changed (from the command line)'],
    ['brand.new: a → b (in the window)', 'Brand.new: a → b (in the window)'],
  ])('a change of a setting, %s, is told in words', (summary, words) => {
    expect(sentence(summary)).toBe(words)
  })

  it('is shown with the record, and names of a server in it as such', async () => {
    const record = recordOf({ check: 'output_schema', violation: { ...VIOLATION, instance: '/<b>day\u202e</b>' } }, { mode: 'strict', status: 'blocked' })
    const { container } = render(Activity, {
      api: apiOf({ ...timeline(() => [record]), servers: async () => [], record: async () => record }), route: readRoute('#/activity'), overview: overviewOf(), changed: 0,
    })
    await fireEvent.click(await screen.findByRole('button', { name: /^Open .*Blocked/ }))
    const found = await screen.findByRole('region', { name: 'What Sallyport checked' })
    expect(found).toHaveTextContent('Block it')
    expect(screen.getByText('Where').nextElementSibling?.querySelector('bdi')).toHaveTextContent('<b>day')
    expect(container.querySelector('b')).toBeNull()
    expect(written(container)).not.toContain('\u202E')
  })
})
