import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import App from './App.svelte'
import type { Api, Events, Overview } from './lib/api'
import { hide, settle } from './test/look'
import { itemOf, reviewOf } from './test/reviews'
import { apiOf, lightOf, overviewOf, refuse } from './test/rooms'

beforeEach(() => {
  vi.useFakeTimers()
  location.hash = ''
})
afterEach(() => void vi.useRealTimers())

async function open(overview: Partial<Overview> = {}, answers: Partial<Api> = {}) {
  const now = { overview: overviewOf(overview) }
  const listeners: Record<string, (route: string) => void> = {}
  const on = (name: string) => (listener: (route: string) => void) => ((listeners[name] = listener), () => undefined)
  const events = { onChanged: on('changed'), onRoute: on('route'), onTheme: on('theme') } as Events
  const item = reviewOf()
  const api = apiOf({
    ready: async () => '', alive: async () => undefined, overview: async () => now.overview, inbox: async () => [itemOf(item)], decidedItems: async () => [], review: async () => item,
    servers: async () => [], clients: async () => ({ guarded: 0, total: 0, clients: [], unguarded: [], unseen: [] }), settings: async () => [], backups: async () => [], ...answers,
  })
  render(App, { props: { api, events } })
  await settle()
  return { now, tell: async (name: string, route = '') => (listeners[name]?.(route), await hashed()) }
}

/** jsdom tells of a new address a task later. */
async function hashed() {
  window.dispatchEvent(new HashChangeEvent('hashchange'))
  await settle()
}

describe('the window', () => {
  it('counts what waits in the navigation and in its title', async () => {
    await open({ waiting: { critical: 1, high: 0, review: 2 } })
    expect(screen.getByRole('link', { name: 'Inbox (3)' })).toHaveAttribute('aria-current', 'page')
    expect(document.title).toBe('Sallyport – Inbox (3)')
  })

  it('says in its footer what the program says of all servers, and leads to where something can be done', async () => {
    const { now, tell } = await open({ light: lightOf('green', '4 servers guarded') })
    expect(screen.getByRole('link', { name: '4 servers guarded' })).toHaveAttribute('href', '#/servers')
    for (const [light, href] of [
      [lightOf('grey', '3 servers guarded, none started yet', 'not_started', 'Restart Claude Desktop.'), '#/servers'],
      [lightOf('amber', '1 server not guarded', 'unguarded'), '#/servers?show=unguarded'],
      [lightOf('amber', '2 items need your review', 'review'), '#/inbox'],
      [lightOf('red', '1 critical item needs your review', 'critical'), '#/inbox'],
      [lightOf('grey', 'Can’t read the settings file of Claude Desktop', 'unreadable'), '#/start'],
    ] as const) {
      now.overview = overviewOf({ light })
      await tell('changed')
      const foot = screen.getByRole('link', { name: light.words })
      expect(foot).toHaveAttribute('href', href)
      expect(foot.querySelector('[data-light]')).toHaveAttribute('data-light', light.colour)
    }
  })

  it('says of two servers of one name what is wrong with each', async () => {
    const problem = { code: 'SP-221', what: 'the server weather offers protocol versions 2099-01-01; the client asked for 2025-06-18, so it can’t be used', next: 'Update Sallyport.' }
    await open({ problems: [problem, problem] })
    expect(screen.getAllByText(/^The server weather offers protocol versions/)).toHaveLength(2)
  })

  it('is never green while the engine does not answer', async () => {
    const { now } = await open({ light: lightOf('green', '4 servers guarded') })
    expect(now.overview.light.colour).toBe('green')
    await open({}, { overview: () => refuse(4050, 'no hub') })
    expect(screen.getByRole('link', { name: 'Sallyport isn’t working' }).querySelector('[data-light]')).toHaveAttribute('data-light', 'amber')
  })

  it('opens the item that Go kept for it, and decides nothing by that', async () => {
    const decided = vi.fn()
    await open({}, { ready: async () => '#/inbox/4F2A', allow: decided, keep: decided })
    await hashed()
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('“get_forecast” from weather changed')
    await vi.advanceTimersByTimeAsync(5000)
    expect(decided).not.toHaveBeenCalled()
  })

  it('says which item is on the screen, and when the window loses the focus', async () => {
    const shows = vi.fn(async () => undefined)
    vi.spyOn(document, 'hasFocus').mockReturnValue(true)
    const { tell } = await open({}, { shows })
    await tell('route', '#/inbox/4F2A')
    expect(shows).toHaveBeenLastCalledWith('inbox', '4F2A', true)
    await fireEvent.blur(window)
    expect(shows).toHaveBeenLastCalledWith('inbox', '4F2A', false)
    await fireEvent.focus(window)
    await tell('route', '#/servers')
    expect(shows).toHaveBeenLastCalledWith('servers', '', true)
  })

  it('goes where a notification leads while it is open', async () => {
    const { tell } = await open()
    await tell('route', '#/inbox/4F2A')
    expect(screen.getByRole('heading', { level: 1 })).toHaveFocus()
  })

  it('shows the first steps where nothing is protected yet', async () => {
    await open({ firstRun: true })
    expect(location.hash).toBe('#/start')
  })

  it('changes the room at Ctrl and a number, with the focus on its headline', async () => {
    await open()
    await fireEvent.keyDown(window, { key: '2', ctrlKey: true })
    await hashed()
    const headline = within(screen.getByRole('main')).getByRole('heading', { level: 1, name: 'Servers' })
    expect(headline).toHaveFocus()
  })

  it('lists its keys at F1, and gives the focus back', async () => {
    await open()
    const link = screen.getByRole('link', { name: 'Inbox' })
    link.focus()
    await fireEvent.keyDown(link, { key: 'F1' })
    const list = screen.getByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(within(list).getByRole('row', { name: /Ctrl\+Z Take the last decision back, for 10 minutes/ })).toBeInTheDocument()
    await fireEvent.click(within(list).getByRole('button', { name: 'Close the keyboard shortcuts' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(link).toHaveFocus()
  })

  it('searches Activity at Ctrl+F', async () => {
    location.hash = '#/activity'
    await open({}, { activity: async () => ({ items: [] }) })
    await fireEvent.keyDown(window, { key: 'f', ctrlKey: true })
    expect(screen.getByRole('searchbox')).toHaveFocus()
  })

  it('goes from pane to pane at F6: places, list, review, buttons, and round again', async () => {
    await open({}, { ready: async () => '#/inbox/4F2A' })
    await hashed()
    await vi.advanceTimersByTimeAsync(200)
    screen.getByRole('link', { name: 'Inbox' }).focus()
    const stops: string[] = []
    for (let i = 0; i < 4; i++) {
      await fireEvent.keyDown(window, { key: 'F6' })
      stops.push(document.activeElement?.id ?? '')
    }
    expect(stops).toEqual(['item-4F2A', 'review-title', 'act-keep', 'nav-inbox'])
    await fireEvent.keyDown(window, { key: 'F6', shiftKey: true })
    expect(document.activeElement?.id).toBe('act-keep')
  })

  it('has a pane for every room', async () => {
    location.hash = '#/servers'
    await open()
    screen.getByRole('link', { name: 'Servers' }).focus()
    await fireEvent.keyDown(window, { key: 'F6' })
    expect(screen.getByRole('heading', { level: 1, name: 'Servers' })).toHaveFocus()
  })

  it('goes back to the list at Escape, which decides nothing', async () => {
    location.hash = '#/servers/stdio%3Ax'
    const keep = vi.fn()
    await open({}, { keep, server: () => refuse(4004, 'no such server') })
    await fireEvent.keyDown(window, { key: 'Escape' })
    await hashed()
    expect(location.hash).toBe('#/servers')
    location.hash = '#/inbox/4F2A'
    await hashed()
    await fireEvent.keyDown(window, { key: 'Escape' })
    expect(document.activeElement?.id).toBe('item-4F2A')
    expect(keep).not.toHaveBeenCalled()
  })

  describe('a decision', () => {
    async function allowed(answers: Partial<Api> = {}) {
      const block = vi.fn(async () => ({ server: 'weather', items: ['tool:get_forecast'], code: '9XK2' }))
      await open({}, { ready: async () => '#/inbox/4F2A', allow: async (d) => ({ code: d.code, server: 'weather', approved: d.items ?? [], rejected: [], left: [], next: '' }), block, ...answers })
      await hashed()
      await vi.advanceTimersByTimeAsync(200)
      await fireEvent.click(screen.getByRole('button', { name: /^Allow this tool/ }))
      await settle()
      location.hash = '#/servers'
      await hashed()
      return { block }
    }

    it('can be taken back from any room, by its button or Ctrl+Z', async () => {
      const { block } = await allowed()
      expect(screen.getByRole('button', { name: 'Undo this decision' })).toBeInTheDocument()
      await fireEvent.keyDown(window, { key: 'z', ctrlKey: true })
      await settle()
      expect(block).toHaveBeenCalledExactlyOnceWith('stdio:["npx","@acme/weather"]', ['tool:get_forecast'])
      expect(screen.queryByRole('button', { name: 'Undo this decision' })).toBeNull()
    })

    it('is said for ten seconds, and can be taken back by Ctrl+Z for ten minutes', async () => {
      const { block } = await allowed()
      await vi.advanceTimersByTimeAsync(9_000)
      expect(screen.getByRole('button', { name: 'Undo this decision' })).toBeInTheDocument()
      await vi.advanceTimersByTimeAsync(1_500)
      expect(screen.queryByRole('button', { name: 'Undo this decision' })).toBeNull()
      await vi.advanceTimersByTimeAsync(9.5 * 60_000)
      await fireEvent.keyDown(window, { key: 'z', ctrlKey: true })
      await settle()
      expect(block).toHaveBeenCalledOnce()
    })

    it('cannot be taken back after ten minutes', async () => {
      const { block } = await allowed()
      await vi.advanceTimersByTimeAsync(10.1 * 60_000)
      await fireEvent.keyDown(window, { key: 'z', ctrlKey: true })
      expect(block).not.toHaveBeenCalled()
    })

    it('that could not be taken back is said to stand', async () => {
      await allowed({ block: () => refuse(4050, 'the store cannot be written') })
      await fireEvent.click(screen.getByRole('button', { name: 'Undo this decision' }))
      await settle()
      expect(screen.getByText(/Undo didn’t work: the store cannot be written/)).toBeInTheDocument()
    })
  })

  it('says that the engine is silent, keeps what it last knew, and asks again', async () => {
    let silent = false
    const { tell } = await open({ waiting: { critical: 0, high: 0, review: 1 } }, { overview: async () => (silent ? refuse(4050, 'the hub is stepping down') : overviewOf({ waiting: { critical: 0, high: 0, review: 1 } })) })
    silent = true
    await tell('changed')
    expect(screen.getByRole('alert')).toHaveTextContent("Sallyport's engine isn't responding. Everything blocked stays blocked.")
    expect(screen.getByRole('link', { name: 'Inbox (1)' })).toBeInTheDocument()
    silent = false
    await vi.advanceTimersByTimeAsync(2500)
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('notices within five seconds that nothing answers: no button decides, and what was shown stays with its time', async () => {
    let dead = false
    const never = new Promise<never>(() => undefined)
    const allow = vi.fn()
    const keep = vi.fn()
    await open({}, { ready: async () => '#/inbox/4F2A', allow, keep, alive: () => (dead ? never : Promise.resolve()) })
    await hashed()
    await vi.advanceTimersByTimeAsync(2900)
    expect(screen.getByRole('button', { name: /^Keep blocked/ })).toBeEnabled()
    dead = true
    await vi.advanceTimersByTimeAsync(5000)
    const banner = screen.getByRole('alert')
    expect(banner).toHaveTextContent("Sallyport's engine isn't responding. Everything blocked stays blocked. You can’t decide anything until it responds.")
    expect(banner).toHaveTextContent(/What you see is as of \d\d:\d\d\./)
    for (const name of [/^Keep blocked/, /^Allow this tool/]) {
      const button = screen.getByRole('button', { name })
      expect(button).toBeDisabled()
      expect(button).toHaveAccessibleDescription('Sallyport’s engine isn’t responding, so you can’t decide anything now.')
      await fireEvent.click(button)
    }
    await fireEvent.keyDown(window, { key: 'b', ctrlKey: true })
    expect([allow, keep].flatMap((f) => f.mock.calls)).toEqual([])
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('“get_forecast” from weather changed')
  })

  it('asks for everything again when it answers after a silence, and its buttons work', async () => {
    let answer: () => Promise<void> = async () => undefined
    const inbox = vi.fn(async () => [itemOf(reviewOf())])
    await open({}, { ready: async () => '#/inbox/4F2A', inbox, alive: () => answer() })
    await hashed()
    answer = () => refuse(4050, 'the hub is stepping down')
    await vi.advanceTimersByTimeAsync(2500)
    expect(screen.getByRole('alert')).toHaveTextContent('the hub is stepping down')
    const asked = inbox.mock.calls.length
    answer = async () => undefined
    await vi.advanceTimersByTimeAsync(2500)
    expect(screen.queryByRole('alert')).toBeNull()
    expect(inbox.mock.calls.length).toBeGreaterThan(asked)
    expect(screen.getByRole('button', { name: /^Keep blocked/ })).toBeEnabled()
  })

  it('does not ask while nobody sees it', async () => {
    const alive = vi.fn(async () => undefined)
    await open({}, { alive })
    await hide(true)
    const asked = alive.mock.calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(alive.mock.calls.length).toBe(asked)
    await hide(false)
  })

  it('says once that it lives on in the tray', async () => {
    const trayTold = vi.fn(async () => undefined)
    await open({ trayTold: false }, { trayTold })
    await fireEvent.click(screen.getByRole('button', { name: 'Got it' }))
    expect(trayTold).toHaveBeenCalledOnce()
  })

  it('says that it opens its window where icons are hidden, on the first steps too', async () => {
    await open({ trayTold: false, firstRun: true, tray: 'this desktop hides tray icons' })
    expect(screen.getByText('Your desktop hides tray icons, so Sallyport opens its window instead.')).toBeInTheDocument()
  })

  it('asks before it quits, with the focus on staying, and quits with what it was shown with', async () => {
    const quit = vi.fn(async () => undefined)
    const stay = vi.fn(async () => undefined)
    await open({ quitting: 'n0nce' }, { quit, stay })
    const question = screen.getByRole('alertdialog', { name: 'Quit Sallyport?' })
    expect(question).toHaveTextContent("Sallyport's checks keep running. New tools stay blocked, and you can't review them until you open Sallyport again.")
    expect(within(question).getByRole('button', { name: 'Stay' })).toHaveFocus()
    await fireEvent.click(within(question).getByRole('button', { name: 'Stay' }))
    expect(stay).toHaveBeenCalledOnce()
    expect(quit).not.toHaveBeenCalled()
    await fireEvent.click(within(question).getByRole('button', { name: 'Quit' }))
    expect(quit).toHaveBeenCalledWith('n0nce')
  })

  it('keeps the focus on staying while the page behind the question goes elsewhere', async () => {
    const { tell } = await open({ quitting: 'n0nce', firstRun: true })
    await hashed()
    expect(screen.getByRole('heading', { level: 1, hidden: true })).toHaveTextContent('Protect the servers Claude uses')
    expect(screen.getByRole('button', { name: 'Stay' })).toHaveFocus()
    for (const route of ['#/inbox/4F2A', '#/servers', '#/activity']) {
      await tell('route', route)
      expect(screen.getByRole('button', { name: 'Stay' }), route).toHaveFocus()
    }
  })
})
