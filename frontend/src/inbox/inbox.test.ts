import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Api, Item } from '../lib/api'
import { readRoute } from '../lib/route'
import { settle } from '../test/look'
import { HOSTILE_NAME, itemOf, KINDS, manyHeld, reviewOf } from '../test/reviews'
import { apiOf, overviewOf, refuse } from '../test/rooms'
import Inbox from './Inbox.svelte'

beforeEach(() => {
  vi.useFakeTimers()
  location.hash = '#/inbox'
})
afterEach(() => void vi.useRealTimers())

const critical = itemOf(reviewOf({ code: '77B0', severity: 'critical' }))
const plain = itemOf(reviewOf())
const server = itemOf(KINDS['new_server'] ?? reviewOf())

async function open(waiting: Item[], answers: Partial<Api> = {}, hash = '#/inbox') {
  const now = { waiting }
  location.hash = hash
  const api = apiOf({ inbox: async () => now.waiting, decided: async () => [], review: async (code) => reviewOf({ code }), ...answers })
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
    const unseen = (client: string, server: string, next: string) => ({ client, server, identity: `stdio:${server}`, next, code: 'SP-220' })
    const { page } = await open([])
    expect(screen.queryByText(/seen what you allowed/)).toBeNull()
    await page.rerender({
      overview: overviewOf({
        unseen: [unseen('Claude Desktop', 'notes', 'restart Claude Desktop'), unseen('Claude Desktop', 'weather', 'restart Claude Desktop'), unseen('opencode', 'weather', 'at its next turn'), unseen('__proto__', 'weather', 'restart __proto__')],
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
    const many = itemOf(manyHeld())
    const { page, now, changed } = await open([many, plain], {}, '#/inbox/7CK5')
    expect(rows()).toEqual(['Open item 7CK4: notes, 1,001 responses held, high', 'Open item 4F2A: weather, tool changed, review'])
    expect(page.container.querySelector('[aria-current="true"]')).toHaveAttribute('id', 'item-7CK4')
    await fireEvent.pointerEnter(page.container.querySelector('#inbox-list') ?? page.container)
    now.waiting = [{ ...many, code: '7CK2', codes: ['7CK2', ...(many.codes ?? [])], count: 1002 }, plain]
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
    await open([plain], { block, allow: async (d) => ({ code: d.code, server: 'weather', approved: d.items, rejected: [], left: [], next: '' }) }, '#/inbox/4F2A')
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
