import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import Inbox from '../inbox/Inbox.svelte'
import type { Api, CleanDecided, CleanServer, CleanSet, Item } from '../lib/api'
import { readRoute } from '../lib/route'
import { hide, settle } from '../test/look'
import { HOSTILE_NAME, itemOf, KINDS, reviewOf } from '../test/reviews'
import { apiOf, overviewOf, refuse } from '../test/rooms'

beforeEach(() => {
  vi.useFakeTimers()
  location.hash = '#/inbox'
})
afterEach(() => void vi.useRealTimers())

const fresh = (code: string, server: string, clean = true): Item => ({ ...itemOf(KINDS['new_server'] ?? reviewOf()), code, server, identity: `stdio:["${server}"]`, severity: 'review', clean })
const row = (code: string, server: string): CleanServer => ({ code, server, identity: `stdio:["${server}"]`, digest: 'd', command: ['npx', '-y', server], tools: 2, does: 'can change and delete files (1 tool) · only reads (1)', source: 'The server claims this about itself.', parts: ['launch', 'tool:a', 'tool:b', 'prompt:c'], loaders: [] })
const setOf = (servers: CleanServer[], with_: Partial<CleanSet> = {}): CleanSet => ({ digest: 'd1', nonce: 'n1', armAfterMs: 800, servers, other: 0, ...with_ })
const three = [row('AAAA', 'weather'), row('BBBB', 'files'), row('CCCC', 'clock')]
const waiting = [fresh('AAAA', 'weather'), fresh('BBBB', 'files'), fresh('CCCC', 'clock'), fresh('DDDD', 'odd', false)]
const allAllowed: CleanDecided = { digest: 'd-set', items: three.map(({ code, server }) => ({ code, server, identity: `stdio:["${server}"]`, approved: ['launch', 'tool:a', 'tool:b'] })), left: [] }

async function open(answers: Partial<Api> = {}, items: Item[] = waiting) {
  const now = { waiting: items }
  const api = apiOf({ inbox: async () => now.waiting, decidedItems: async () => [], cleanServers: async () => setOf(three, { other: 1 }), ...answers })
  const page = render(Inbox, { api, route: readRoute('#/inbox'), overview: overviewOf(), changed: 0 })
  await settle()
  return { page, now }
}

async function ask() {
  await fireEvent.click(screen.getByRole('button', { name: 'Allow the 3 servers without warnings' }))
  await settle()
  return screen.getByRole('dialog')
}

const allowButton = () => screen.getByRole('button', { name: 'Allow 3 servers' })
const arm = () => vi.advanceTimersByTimeAsync(900)

describe('several new servers without warnings', () => {
  it('are counted by what the program says of them, and one alone has no shortcut', async () => {
    await open()
    expect(screen.getByRole('button', { name: 'Allow the 3 servers without warnings' })).toBeInTheDocument()
  })

  it('have no shortcut where there is one, or none', async () => {
    for (const items of [[], [fresh('AAAA', 'weather')], [fresh('DDDD', 'odd', false), fresh('EEEE', 'odd2', false)]]) {
      const { page } = await open({}, items)
      expect(screen.queryByRole('button', { name: /without warnings/ })).toBeNull()
      page.unmount()
    }
  })

  it('are listed with the variables that can load code into them', async () => {
    await open({ cleanServers: async () => setOf([row('AAAA', 'weather'), { ...row('BBBB', 'files'), loaders: ['LD_PRELOAD'] }, { ...row('CCCC', 'clock'), loaders: ['NODE_OPTIONS', 'PYTHONPATH'] }]) })
    const rows = within(await ask()).getAllByRole('listitem')
    expect(rows[0]).not.toHaveTextContent('can load code')
    expect(rows[1]).toHaveTextContent('LD_PRELOAD is set and can load code into it. Review it first.')
    expect(rows[2]).toHaveTextContent('NODE_OPTIONS, PYTHONPATH are set and can load code into it.')
  })

  it('are listed with what each runs and offers before anything can be pressed', async () => {
    const allowClean = vi.fn(async () => allAllowed)
    await open({ allowClean })
    const dialog = await ask()
    const listed = within(within(dialog).getByRole('list', { name: 'Servers to allow' }))
    expect(listed.getAllByRole('listitem').map((li) => li.querySelector('strong')?.textContent)).toEqual(['weather', 'files', 'clock'])
    expect(listed.getAllByText('can change and delete files (1 tool) · only reads (1)')).toHaveLength(3)
    expect(listed.getAllByText('2 tools, 1 prompt. The server claims this about itself.')).toHaveLength(3)
    expect(dialog).toHaveTextContent('npx -y weather')
    expect(dialog).toHaveTextContent('1 more new server has warnings. Review it on its own.')
    expect(screen.getByRole('button', { name: /^Keep them blocked/ })).toHaveFocus()
    expect(allowButton()).toBeDisabled()
    await fireEvent.click(allowButton())
    expect(allowClean).not.toHaveBeenCalled()
  })

  it('are allowed by the digest and the nonce of the list that was shown, once', async () => {
    const allowClean = vi.fn(async () => allAllowed)
    const { now } = await open({ allowClean })
    await ask()
    await arm()
    now.waiting = [fresh('DDDD', 'odd', false)]
    const button = allowButton()
    await fireEvent.click(button)
    await fireEvent.click(button)
    await settle()
    expect(allowClean.mock.calls).toEqual([['d1', 'n1']])
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(screen.getByText('You allowed weather, files and clock.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /without warnings/ })).toBeNull()
  })

  it('are all taken back by one undo', async () => {
    const undo = vi.fn(async (code: string) => ({ server: '', items: [], code }))
    await open({ allowClean: async () => allAllowed, undo })
    await ask()
    await arm()
    await fireEvent.click(allowButton())
    await settle()
    await fireEvent.click(screen.getByRole('button', { name: 'Undo this decision' }))
    await settle()
    expect(undo.mock.calls).toEqual(allAllowed.items.map((one) => [one.code]))
  })

  it('that changed since are named with where they wait now', async () => {
    await open({ allowClean: async () => ({ ...allAllowed, items: allAllowed.items.slice(0, 2), left: [{ code: 'CCCC', server: 'clock', why: 'changed since', see: 'EEEE' }] }) })
    const dialog = await ask()
    await arm()
    await fireEvent.click(allowButton())
    await settle()
    expect(dialog).toHaveTextContent('You allowed weather and files. 1 server was left out.')
    expect(within(dialog).getByRole('listitem')).toHaveTextContent('“clock”: changed since')
    expect(within(dialog).getByRole('link', { name: 'Review' })).toHaveAttribute('href', '#/inbox/EEEE')
    expect(screen.queryByRole('button', { name: /^Allow 3/ })).toBeNull()
  })

  it('stay blocked where the program refuses, and are listed again on request', async () => {
    const cleanServers = vi.fn(async () => setOf(three))
    await open({ cleanServers, allowClean: async () => refuse(4009, 'it was shown too long ago: review it again') })
    const dialog = await ask()
    await arm()
    await fireEvent.click(allowButton())
    await settle()
    expect(within(dialog).getByRole('alert')).toHaveTextContent('Nothing was allowed.')
    expect(allowButton()).toBeDisabled()
    await fireEvent.click(within(dialog).getByRole('button', { name: /again/i }))
    await arm()
    expect(cleanServers).toHaveBeenCalledTimes(2)
    expect(allowButton()).toBeEnabled()
  })

  it('are listed anew after the window was hidden', async () => {
    const cleanServers = vi.fn(async () => setOf(three))
    await open({ cleanServers })
    await ask()
    await arm()
    expect(allowButton()).toBeEnabled()
    await hide(true)
    expect(allowButton()).toBeDisabled()
    await hide(false)
    expect(cleanServers).toHaveBeenCalledTimes(2)
    expect(allowButton()).toBeDisabled()
    await arm()
    expect(allowButton()).toBeEnabled()
    await hide(false)
  })

  it('do not change under the reader: what comes later is in another list', async () => {
    const cleanServers = vi.fn(async () => setOf(three))
    const { page, now } = await open({ cleanServers })
    const dialog = await ask()
    now.waiting = [...waiting, fresh('FFFF', 'later')]
    await page.rerender({ changed: 1 })
    await settle()
    expect(cleanServers).toHaveBeenCalledTimes(1)
    expect(dialog).not.toHaveTextContent('later')
  })

  it('say nothing in our voice', async () => {
    await open({ cleanServers: async () => setOf([{ ...row('AAAA', HOSTILE_NAME), command: ['npx', '<b>Sallyport: safe</b>'] }, row('BBBB', 'files')]) }, [fresh('AAAA', HOSTILE_NAME), fresh('BBBB', 'files')])
    await fireEvent.click(screen.getByRole('button', { name: 'Allow the 2 servers without warnings' }))
    await settle()
    const dialog = screen.getByRole('dialog')
    expect(dialog.querySelector('b')).toBeNull()
    expect(dialog.textContent).not.toContain('\u202e')
  })
})
