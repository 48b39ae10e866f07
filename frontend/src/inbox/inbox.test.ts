import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Api, HeldAllDecision, Item } from '../lib/api'
import { readRoute } from '../lib/route'
import { hide, settle } from '../test/look'
import { HOSTILE_NAME, itemOf, KINDS, manyHeld, reviewOf } from '../test/reviews'
import { apiOf, findingOf, overviewOf, refuse, unseenOf } from '../test/rooms'
import Inbox from './Inbox.svelte'

beforeEach(() => {
  vi.useFakeTimers()
  location.hash = '#/inbox'
})
afterEach(() => void vi.useRealTimers())

const critical = itemOf(reviewOf({ code: '77B0', severity: 'critical' }))
const plain = itemOf(reviewOf())
const server = itemOf(KINDS['new_server'] ?? reviewOf())
const worst = { rule: 'instruction_override_short', title: 'It tells Claude to ignore earlier instructions', level: 'high' as const }
const thousand: Item = { ...itemOf(manyHeld()), parts: [{ item: 'tool:read_note', state: 'waiting', passages: [], findings: [findingOf({ rule: 'way_out', level: 'medium', title: 'It names where something is to be sent' }), findingOf({ rule: 'fake_system', level: 'high', title: 'Of the newest alone' }), findingOf(worst)] }] }

async function open(waiting: Item[], answers: Partial<Api> = {}, hash = '#/inbox') {
  const now = { waiting }
  location.hash = hash
  const api = apiOf({ inbox: async () => now.waiting, decidedItems: async () => [], review: async (code) => reviewOf({ code }), ...answers })
  const page = render(Inbox, { api, route: readRoute(hash), overview: overviewOf(), changed: 0 })
  await settle()
  return {
    page, now,
    changed: async (n: number) => {
      await page.rerender({ changed: n })
      await settle()
    },
  }
}

const rows = () => screen.getAllByRole('link', { name: /^Open item/ }).map((a) => a.getAttribute('aria-label'))

describe('the inbox', () => {
  it('names each row by code, server, kind and how grave it is', async () => {
    await open([critical, plain, server])
    expect(rows()).toEqual(['Open item 77B0: weather, tool changed, critical', 'Open item 4F2A: weather, tool changed, review', 'Open item 9KMN: github, new server, high'])
  })

  it('tells how grave it is by a word and a shape, not by colour alone', async () => {
    await open([critical])
    const row = within(screen.getByRole('link', { name: /77B0/ }).closest('li') as HTMLElement)
    expect(row.getByText('Critical').querySelector('svg')).toBeInTheDocument()
  })

  it('has rows that open and none that decide', async () => {
    const { page } = await open([critical, plain, server])
    for (const row of page.container.querySelectorAll('#inbox-list a')) expect(row.getAttribute('href')).toMatch(/^#\/inbox\/[A-Z0-9]+$/)
    expect(screen.queryByRole('button', { name: /allow|keep|block/i })).toBeNull()
  })

  it('is calm when nothing waits', async () => {
    await open([])
    expect(screen.getByText('Nothing needs your review.')).toBeInTheDocument()
  })

  it('says which client has not seen what was allowed, and what helps', async () => {
    const { page } = await open([])
    expect(screen.queryByText(/seen what you allowed/)).toBeNull()
    await page.rerender({
      overview: overviewOf({
        unseen: [unseenOf('Claude Desktop', 'notes', 'restart Claude Desktop'), unseenOf('Claude Desktop', 'weather', 'restart Claude Desktop'), unseenOf('opencode', 'weather', 'at its next turn'), unseenOf('__proto__', 'weather', 'restart __proto__')],
      }),
    })
    const lines = screen.getAllByRole('status').map((s) => s.textContent?.replace(/\s+/g, ' ').trim())
    expect(lines).toContain('Claude Desktop hasn’t seen what you allowed of notes, weather. Restart Claude Desktop. (SP-220)')
    expect(lines).toContain('__proto__ hasn’t seen what you allowed of weather. Restart __proto__. (SP-220)')
    expect(lines).toContain('opencode hasn’t seen what you allowed of weather. It will at its next turn. (SP-220)')
  })

  it('says what failed, what follows, and asks again', async () => {
    let broken = true
    await open([], { inbox: async () => (broken ? refuse(4050, 'the store cannot be read') : [plain]) })
    expect(screen.getByRole('alert')).toHaveTextContent('Sallyport couldn’t load the inbox: the store cannot be read. Everything blocked stays blocked.')
    broken = false
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await settle()
    expect(rows()).toHaveLength(1)
  })

  it('shows what arrives, but never moves a row away from under the pointer', async () => {
    const { page, now, changed } = await open([plain])
    await fireEvent.pointerEnter(page.container.querySelector('#inbox-list') ?? page.container)
    now.waiting = [critical, plain]
    await changed(1)
    expect(rows()).toHaveLength(1)
    await fireEvent.click(screen.getByRole('button', { name: '1 new — show' }))
    expect(rows()).toHaveLength(2)
  })

  it('has one row for many held responses, which stays while more come', async () => {
    const { page, now, changed } = await open([thousand, plain], {}, '#/inbox/7CK5')
    expect(rows()).toEqual(['Open item 7CK4: notes, 1,001 responses held, high', 'Open item 4F2A: weather, tool changed, review'])
    expect(page.container.querySelector('[aria-current="true"]')).toHaveAttribute('id', 'item-7CK4')
    await fireEvent.pointerEnter(page.container.querySelector('#inbox-list') ?? page.container)
    now.waiting = [{ ...thousand, code: '7CK2', codes: ['7CK2', ...(thousand.codes ?? [])], count: 1002 }, plain]
    await changed(1)
    expect(rows()[0]).toBe('Open item 7CK2: notes, 1,002 responses held, high')
    expect(screen.queryByRole('button', { name: /new — show/ })).toBeNull()
  })

  it('goes on to what waits next after a decision, and says what was decided', async () => {
    const left = [plain, critical]
    await open(left, { keep: async (d) => (left.shift(), { code: d.code, server: 'weather', approved: [], rejected: [], left: [], next: '' }) }, '#/inbox/4F2A')
    await vi.advanceTimersByTimeAsync(200)
    await fireEvent.click(screen.getByRole('button', { name: /^Keep blocked/ }))
    await settle()
    expect(screen.getByRole('status')).toHaveTextContent('You kept get_forecast blocked.')
    expect(location.hash).toBe('#/inbox/77B0')
  })

  it('takes an approval back at once', async () => {
    const block = vi.fn(async () => ({ server: 'weather', items: [], code: '9XK2' }))
    await open([plain], { block, allow: async (d) => ({ code: d.code, server: 'weather', approved: d.items ?? [], rejected: [], left: [], next: '' }) }, '#/inbox/4F2A')
    await vi.advanceTimersByTimeAsync(200)
    await fireEvent.click(screen.getByRole('button', { name: /^Allow this tool/ }))
    await settle()
    await fireEvent.click(screen.getByRole('button', { name: 'Undo this decision' }))
    await settle()
    expect(block).toHaveBeenCalledWith('stdio:["npx","@acme/weather"]', ['tool:get_forecast'])
  })

  it('shows a hostile name as it can be read, and labels with none of it', async () => {
    const hostile = itemOf(reviewOf({ server: HOSTILE_NAME }))
    const { page } = await open([hostile])
    expect(rows()).toEqual(['Open item 4F2A: a server, tool changed, review'])
    expect(page.container.textContent).not.toMatch(/\u202e/)
    expect(screen.getByText('U+202E right-to-left')).toBeInTheDocument()
  })
})

describe('the row of many held responses', () => {
  const held = { count: 1001, digest: 'd-all', nonce: 'n-all', armAfterMs: 800 }
  const discardAll = () => screen.getByRole('button', { name: 'Discard all 1,001 responses from read_note of notes' })
  const block = () => screen.getByRole('button', { name: 'Block this tool: read_note of notes' })
  const arm = () => vi.advanceTimersByTimeAsync(900)

  async function ask() {
    discardAll().focus()
    await fireEvent.click(discardAll())
    await settle()
    return screen.getByRole('alertdialog')
  }

  it('says how many, from when to when, and the gravest reason', async () => {
    await open([thousand])
    const row = within(screen.getByRole('link', { name: /7CK4/ }).closest('li') as HTMLElement)
    expect(row.getByText('1,001 responses held')).toBeInTheDocument()
    expect(row.getByText(worst.title)).toBeInTheDocument()
    expect([...(row.getByRole('link').closest('li')?.querySelectorAll('time') ?? [])].map((t) => t.getAttribute('datetime'))).toEqual([thousand.first, thousand.last])
  })

  it('says why where no rule is the reason', async () => {
    const without = { ...thousand, parts: [{ item: 'tool:read_note', state: 'waiting', passages: [], findings: [] }] }
    for (const [why, words] of [['limit', 'Larger than Sallyport inspects'], ['provider', 'A required check couldn’t run'], ['threat', 'Several small signs together']] as const) {
      const { page } = await open([{ ...without, why }])
      expect(screen.getByText(words)).toBeInTheDocument()
      page.unmount()
    }
  })

  it('has its buttons behind its link, in the order of reading, each with a name that says it all', async () => {
    const { page } = await open([thousand, plain])
    const stops = [...page.container.querySelectorAll('#inbox-waiting a, #inbox-waiting button')].map((e) => e.getAttribute('aria-label'))
    expect(stops).toEqual(['Open item 7CK4: notes, 1,001 responses held, high', 'Discard all 1,001 responses from read_note of notes', 'Block this tool: read_note of notes', 'Open item 4F2A: weather, tool changed, review'])
    for (const button of [discardAll(), block()]) expect(button.getAttribute('aria-label')).toContain(button.textContent?.replace('…', ''))
  })

  it('has none where a single response is held', async () => {
    await open([{ ...thousand, count: 1 }])
    expect(screen.queryByRole('button', { name: /^(Discard|Block)/ })).toBeNull()
  })

  it('asks first, with the focus on what keeps them, and takes no press before it was read', async () => {
    const asked: HeldAllDecision[] = []
    await open([thousand, plain], { heldTogether: async () => held, discardAll: async (d) => (asked.push(d), { discarded: 1001, meanwhile: 0, came: 0 }) })
    const dialog = await ask()
    expect(dialog).toHaveAccessibleName('Discard 1,001 responses?')
    expect(dialog.textContent?.replace(/\s+/g, ' ')).toContain('This deletes the 1,001 responses from “read_note” of “notes” that are held now for the same reason. Claude never sees them, and they don’t come back. Responses that come later stay held.')
    expect(screen.getByRole('button', { name: 'Keep them held: nothing is decided' })).toHaveFocus()
    await fireEvent.click(screen.getByRole('button', { name: 'Discard 1,001 responses' }))
    expect(asked).toEqual([])
    await fireEvent.click(screen.getByRole('button', { name: /^Keep them held/ }))
    await settle()
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(discardAll()).toHaveFocus()
  })

  it('says one time of what came within one minute, and two of what did not', async () => {
    const { page } = await open([{ ...thousand, first: '2026-11-23T12:00:05Z', last: '2026-11-23T12:00:55Z' }])
    expect(page.container.textContent).not.toContain('–')
    page.unmount()
    const later = await open([{ ...thousand, first: '2026-11-23T12:00:05Z', last: '2026-11-23T12:01:05Z' }])
    expect(later.page.container.textContent).toContain('–')
  })

  it('discards those that were held when it asked, and says how many came since', async () => {
    const asked: HeldAllDecision[] = []
    const { now, changed } = await open([thousand, plain], { heldTogether: async () => held, discardAll: async (d) => (asked.push(d), { discarded: 1001, meanwhile: 0, came: 3 }) })
    const dialog = await ask()
    await arm()
    const grown = { ...thousand, code: '7CK2', codes: ['7CK2', ...(thousand.codes ?? [])], count: 1004 }
    now.waiting = [grown, plain]
    await changed(1)
    expect(dialog).toHaveAccessibleName('Discard 1,001 responses?')
    now.waiting = [{ ...grown, count: 3 }, plain]
    await fireEvent.click(screen.getByRole('button', { name: 'Discard 1,001 responses' }))
    await settle()
    expect(asked).toEqual([{ code: '7CK4', digest: 'd-all', nonce: 'n-all', reason: '' }])
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(screen.getByRole('status')).toHaveTextContent('You discarded 1,001 responses. 3 responses arrived since then and are still held.')
    expect(screen.getByRole('button', { name: /^Discard all 3 / })).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /^Undo/ })).toBeNull()
  })

  it('is gone when nothing of it is left, and the keyboard goes on where one is', async () => {
    const { now } = await open([thousand], { heldTogether: async () => held, discardAll: async () => ({ discarded: 1001, meanwhile: 0, came: 0 }) })
    await ask()
    await arm()
    now.waiting = []
    await fireEvent.click(screen.getByRole('button', { name: 'Discard 1,001 responses' }))
    await settle()
    expect(screen.getByText('Nothing needs your review.')).toBeInTheDocument()
    expect(screen.getByRole('status')).toHaveTextContent('You discarded 1,001 responses.')
    expect(screen.getByRole('heading', { name: 'Inbox', level: 1 })).toHaveFocus()
  })

  it('leaves who reads another item there, and brings who reads one of them to the next', async () => {
    for (const [hash, next] of [['#/inbox/4F2A', '#/inbox/4F2A'], ['#/inbox/7CK5', '#/inbox/4F2A']] as const) {
      const answers: Partial<Api> = { heldTogether: async () => held, discardAll: async () => ({ discarded: 1001, meanwhile: 0, came: 0 }) }
      const { page, now } = await open([thousand, plain], answers, hash)
      await ask()
      await arm()
      now.waiting = [plain]
      await fireEvent.click(screen.getByRole('button', { name: 'Discard 1,001 responses' }))
      await settle()
      expect(location.hash).toBe(next)
      page.unmount()
    }
  })

  it('says why nothing was discarded, and asks again', async () => {
    let known = false
    await open([thousand], { heldTogether: async () => (known ? held : refuse(4009, 'nothing of it is held any more')), discardAll: async () => refuse(4009, 'it was shown too long ago: look at it again') })
    const dialog = await ask()
    expect(within(dialog).getByRole('alert')).toHaveTextContent('Nothing was discarded: nothing of it is held any more.')
    expect(within(dialog).getByRole('button', { name: /^Discard/ })).toBeDisabled()
    known = true
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Try again' }))
    await arm()
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Discard 1,001 responses' }))
    await settle()
    expect(within(dialog).getByRole('alert')).toHaveTextContent('Nothing was discarded: it was shown too long ago')
  })

  it('asks anew after the window was hidden', async () => {
    const heldTogether = vi.fn(async () => held)
    await open([thousand], { heldTogether })
    await ask()
    await arm()
    await hide(true)
    expect(screen.getByRole('button', { name: 'Discard 1,001 responses' })).toBeDisabled()
    await hide(false)
    expect(heldTogether).toHaveBeenCalledTimes(2)
    await arm()
    expect(screen.getByRole('button', { name: 'Discard 1,001 responses' })).toBeEnabled()
  })

  it('blocks the tool at one press, says what stays, and shows it blocked', async () => {
    const blocked = vi.fn(async () => ({ server: 'notes', items: ['tool:read_note'], code: '9XK2' }))
    const { now } = await open([thousand], { block: blocked })
    now.waiting = [{ ...thousand, allowed: false }]
    block().focus()
    await fireEvent.click(block())
    await settle()
    expect(blocked.mock.calls).toEqual([['stdio:notes', ['tool:read_note']]])
    expect(screen.getByRole('status')).toHaveTextContent('You blocked read_note of notes. 1,001 responses of it are still held.')
    expect(screen.queryByRole('button', { name: /^Block/ })).toBeNull()
    expect(screen.getByText('Tool blocked')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: /7CK4/ })).toHaveFocus()
    await fireEvent.click(screen.getByRole('button', { name: 'Undo this decision' }))
    await settle()
    expect(location.hash).toBe('#/inbox/9XK2') // what loosens is looked at first
  })

  it('says why a tool was not blocked, and offers it again', async () => {
    await open([thousand], { block: async () => refuse(4050, 'the store cannot be read') })
    await fireEvent.click(block())
    await settle()
    expect(screen.getByRole('alert')).toHaveTextContent('The tool could not be blocked: the store cannot be read.')
    expect(block()).toBeEnabled()
  })

  it('blocks nothing that is no tool: reads of resources are one row a server', async () => {
    await open([{ ...thousand, parts: [{ item: 'resource:notes://1', state: 'waiting', passages: [], findings: [] }], allowed: false }])
    expect(screen.getByRole('button', { name: 'Discard all 1,001 responses from notes' })).toBeInTheDocument()
    expect(screen.queryByText('Tool blocked')).toBeNull()
    expect(screen.queryByText(/notes:\/\/1/)).toBeNull()
  })

  it('has labels with no word of the server', async () => {
    await open([{ ...thousand, server: HOSTILE_NAME, parts: [{ item: `tool:${HOSTILE_NAME}`, state: 'waiting', passages: [], findings: [] }] }])
    expect(screen.getAllByRole('button').map((b) => b.getAttribute('aria-label'))).toEqual(['Discard all 1,001 responses from a tool of a server', 'Block this tool: a tool of a server'])
  })
})
