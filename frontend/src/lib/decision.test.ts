import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Outcome } from '../review/outcome'
import { apiOf, refuse } from '../test/rooms'
import type { Api } from './api'
import { LastDecision } from './decision.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})

const outcome = (with_: Partial<Outcome> = {}): Outcome => ({
  code: '4F2A', identity: 'stdio:weather', did: 'allowed', items: ['tool:a'], words: 'You allowed weather.', next: '', undo: true, ...with_,
})
const last = (api: Partial<Api> = {}) => new LastDecision(apiOf(api))

it('a receipt leaves after ten seconds, and its decision can still be taken back from its item', async () => {
  const decided = last()
  decided.say(outcome())
  await vi.advanceTimersByTimeAsync(9_900)
  expect(decided.shown).toBe(true)
  await vi.advanceTimersByTimeAsync(200)
  expect(decided.shown).toBe(false)
  expect(decided.of('4F2A')?.words).toBe('You allowed weather.')
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(decided.of('4F2A')).toBeUndefined()
  expect(decided.outcome).toBeNull()
})

it('a receipt leaves when a person opens another item, and stays over the one that the page went on to', () => {
  const decided = last()
  decided.say(outcome())
  decided.goesOn('77B0')
  decided.opened('77B0')
  decided.opened('')
  expect(decided.shown).toBe(true)
  decided.opened('9KMN')
  expect(decided.shown).toBe(false)
  expect(decided.of('4F2A')).toBeDefined()
})

it('a receipt does not leave from under the keyboard', async () => {
  const toast = document.createElement('div')
  toast.id = 'toast'
  const button = document.createElement('button')
  toast.append(button)
  document.body.append(toast)
  button.focus()
  const decided = last()
  decided.say(outcome())
  await vi.advanceTimersByTimeAsync(25_000)
  expect(decided.shown).toBe(true)
  button.blur()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(decided.shown).toBe(false)
})

it('two decisions are taken back each from its own item', async () => {
  const undo = vi.fn(async (code: string) => ({ server: '', items: [], code }))
  const decided = last({ undo })
  decided.say(outcome({ newServer: true }))
  decided.say(outcome({ code: '77B0', newServer: true }))
  await decided.undo(decided.of('4F2A'))
  expect(undo.mock.calls).toEqual([['4F2A']])
  expect(location.hash).toBe('#/inbox/4F2A')
  expect(decided.of('4F2A')).toBeUndefined()
  expect(decided.of('77B0')).toBeDefined()
})

it('a new server that can no longer wait as it was is blocked', async () => {
  const block = vi.fn(async () => ({ server: '', items: [], code: '' }))
  const decided = last({ undo: () => refuse(4009, 'nothing of it is as it was'), block })
  decided.say(outcome({ newServer: true }))
  await decided.undo()
  expect(block.mock.calls).toEqual([['stdio:weather', ['tool:a']]])
  expect(decided.failed).toBe('')
})

it('what could not be taken back is said over the decision that it is about, whatever was decided since', async () => {
  const undo = vi.fn(async (code: string) => (code === '4F2A' ? refuse(4050, 'the store could not be used') : { server: '', items: [], code }))
  const decided = last({ undo, block: () => refuse(4050, 'the store could not be used') })
  decided.say(outcome({ newServer: true, words: 'You allowed weather.' }))
  decided.say(outcome({ code: '77B0', newServer: true, words: 'You allowed notes.' }))
  await decided.undo(decided.of('4F2A'))
  expect([decided.outcome?.words, decided.shown, decided.failed]).toEqual(['You allowed weather.', true, 'the store could not be used'])
  await decided.undo(decided.of('77B0'))
  await decided.undo(decided.of('4F2A')) // nothing else is on the screen by now
  expect([decided.outcome?.words, decided.shown, decided.failed]).toEqual(['You allowed weather.', true, 'the store could not be used'])
})

it('a decision over several servers that was taken back in part goes on where it stopped', async () => {
  let broken = true
  const undone: string[] = []
  const blocked: string[] = []
  const decided = last({
    undo: async (code) => (broken && code === '77B0' ? refuse(4050, 'no hub') : (undone.push(code), { server: '', items: [], code })),
    block: async (identity) => (broken ? refuse(4050, 'no hub') : (blocked.push(identity), { server: '', items: [], code: '' })),
  })
  decided.say(outcome({ newServer: true, also: [{ code: '77B0', identity: 'stdio:notes', items: ['tool:b'] }] }))
  await decided.undo()
  expect(decided.failed).toBe('no hub')
  broken = false
  await decided.undo()
  expect([undone, blocked, decided.failed]).toEqual([['4F2A', '77B0'], [], ''])
})
