import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { Api, Coverage, ServerDetail, Setting, SetSetting, ToolSetting } from '../../lib/api'
import { readRoute } from '../../lib/route'
import { apiOf, coverageOf, detailOf, eventOf, findingOf, itemOf, lightOf, overviewOf, previewOf, refuse, serverOf, settingOf, unguardedOf, unseenOf, written } from '../../test/rooms'
import ItemRow from './ItemRow.svelte'
import Servers from './Servers.svelte'
import { itemStatus, offered } from './words'

const HOSTILE = 'Safe update ✅ \u202Etxt'
const identity = 'stdio:["npx","@acme/weather"]'
const allGuarded: Partial<Coverage> = { guarded: 3, total: 3 }

function list(answers: Partial<Api>, hash = '#/servers') {
  const props = { api: apiOf({ clients: async () => coverageOf(allGuarded), ...answers }), route: readRoute(hash), overview: overviewOf(), changed: 0 }
  return { ...render(Servers, props), props }
}

function detail(server: ServerDetail, answers: Partial<Api> = {}) {
  return list({ server: async () => server, ...answers }, `#/servers/${encodeURIComponent(identity)}`)
}

describe('how a part of a server is', () => {
  it('says who allowed an item and when', () => {
    const now = new Date('2026-11-21T12:00:00Z')
    expect(itemStatus(itemOf('a'), false, now).words).toBe('allowed by you, 3 Nov')
    expect(itemStatus(itemOf('a', { approvedBy: 'trusted on first use, never read' }), false, now).words).toBe('allowed, trusted on first use, never read')
  })

  it('says of no allowed item that it is usable while the server is blocked', () => {
    expect(itemStatus(itemOf('a'), true)).toEqual({ colour: 'grey', sign: 'ban', words: 'blocked with the server' })
  })

  it('calls a state that it does not know blocked', () => {
    expect(itemStatus(itemOf('a', { state: 'odd' }), false)).toEqual({ colour: 'amber', sign: 'ban', words: 'blocked (odd)' })
  })

  it('shows kinds that it does not know, and leaves what the server runs to Start-up', () => {
    const groups = offered([itemOf('a'), { ...itemOf('b'), kind: 'hologram' }, { ...itemOf(''), kind: 'launch' }])
    expect(groups.map((g) => [g.title, g.items.length])).toEqual([['Tools', 1], ['Other', 1]])
  })
})

describe('the list', () => {
  it('names each server, how it stands and what waits', async () => {
    const light = lightOf('amber', '1 tool blocked, needs your review, 2 responses held', 'review')
    list({ servers: async () => [serverOf({ light, held: 2, blocked: 1, allowed: 3, code: '4F2A' })] })
    expect(await screen.findByRole('link', { name: 'Open server weather: 1 tool blocked, needs your review, 2 responses held' })).toHaveAttribute('href', `#/servers/${encodeURIComponent(identity)}`)
    expect(screen.getByText('3 of 4 allowed')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Review item 4F2A' })).toHaveAttribute('href', '#/inbox/4F2A')
  })

  it('says that its count is of the files: the program counts servers that stand in none, too', async () => {
    list({ servers: async () => [serverOf()], clients: async () => coverageOf({ guarded: 2, total: 2, unguarded: [] }) })
    expect(await screen.findByText('2 of 2 in settings files guarded')).toBeInTheDocument()
  })

  it('shows every colour as the program says it, in the list and on the page', async () => {
    for (const light of [lightOf('grey', 'Not running', 'idle'), lightOf('green', 'Guarded, 1 tool blocked by you'), lightOf('amber', '2 responses held', 'held'), lightOf('red', 'Critical, needs your review', 'critical')]) {
      const row = list({ servers: async () => [serverOf({ light, wrappers: 1, blocked: 3 })] })
      expect((await screen.findByText(light.words)).closest('[data-light]')).toHaveAttribute('data-light', light.colour)
      row.unmount()
      const page = detail(detailOf({ light, wrappers: 1, blocked: 3 }))
      expect((await screen.findByText(light.words)).closest('[data-light]')).toHaveAttribute('data-light', light.colour)
      page.unmount()
    }
  })

  it('lists a guarded server that has not run yet, grey, with what to do, and no page to open', async () => {
    const light = lightOf('grey', 'Hasn’t started yet', 'not_started', 'Restart Claude Desktop.')
    const entries = [{ client: 'Claude Desktop', path: '/c', name: 'calendar', started: false }]
    list({ servers: async () => [serverOf({ server: 'calendar', identity: '', light, entries, state: 'new', allowed: 0, lastSeen: '' })] })
    const row = within((await screen.findByRole('row', { name: /calendar/ })))
    expect(row.getByText('Hasn’t started yet').closest('[data-light]')).toHaveAttribute('data-light', 'grey')
    expect(row.getByText('Restart Claude Desktop.')).toBeInTheDocument()
    expect(row.queryByRole('link')).not.toBeInTheDocument()
  })

  it('says honestly what is not guarded and why, and offers a guard only where one can be put', async () => {
    const unguarded = [unguardedOf('weather'), unguardedOf('linear', { kind: 'remote', why: 'a remote server', light: lightOf('grey', 'Remote server, can’t be guarded', 'beyond') })]
    list({ servers: async () => [], clients: async () => coverageOf({ unguarded }) })
    expect(await screen.findByText(/Sallyport can’t stop them/)).toBeInTheDocument()
    expect(screen.getByText('A remote server.')).toBeInTheDocument()
    expect(screen.getAllByRole('button', { name: /^Add guard/ })).toHaveLength(1)
  })

  it('offers another file, and the folder, at a file that cannot be read', async () => {
    const [claude] = coverageOf().clients
    if (!claude) throw new Error('no client')
    const broken = { ...claude, state: 'unreadable', why: 'line 3, column 29: unexpected "', total: 0, entries: [], help: { choose: true, show: true, chosen: true } }
    const clients = vi.fn(async () => coverageOf({ total: 0, clients: [broken], unguarded: [unguardedOf(claude.path ?? '', { kind: 'file' }), unguardedOf('weather')] }))
    const showInFolder = vi.fn(async () => undefined)
    list({ servers: async () => [], clients, showInFolder, chooseFile: async () => '/home/ada/mine.json' })
    expect(await screen.findByText(/There’s a typo on line 3, column 29, so Sallyport can’t read the list of servers\. Fix the file, then try again\./)).toBeInTheDocument()
    expect(screen.getAllByRole('button', { name: /^Choose file/ })).toHaveLength(1)
    await fireEvent.click(screen.getByRole('button', { name: /^Show in folder/ }))
    expect(showInFolder).toHaveBeenCalledExactlyOnceWith('claude-desktop', true)
    await fireEvent.click(screen.getByRole('button', { name: /^Choose file/ }))
    await waitFor(() => expect(clients).toHaveBeenCalledTimes(2))
  })

  it('offers them where no client has a file', async () => {
    const [claude] = coverageOf().clients
    if (!claude) throw new Error('no client')
    const missing = { ...claude, state: 'absent', total: 0, entries: [], help: { choose: true, show: true, chosen: false } }
    list({ servers: async () => [], clients: async () => coverageOf({ total: 0, clients: [missing] }) })
    expect(await screen.findByRole('button', { name: /^Choose file/ })).toBeInTheDocument()
    expect(screen.getByRole('button', { name: /^Show in folder/ })).toBeInTheDocument()
  })

  it('shows the lines before it writes, and writes what it showed', async () => {
    const protect = vi.fn(async () => previewOf({ written: true }))
    const unguarded = [unguardedOf('weather')]
    list({ servers: async () => [], clients: async () => coverageOf({ unguarded }), previewProtect: async () => previewOf({ digest: 'd7', nonce: 'n7' }), protect })
    await fireEvent.click(await screen.findByRole('button', { name: 'Add guard to weather' }))
    const write = screen.getByRole('button', { name: 'Guard this server: weather' })
    await waitFor(() => expect(write).toBeEnabled())
    expect(screen.getByText(/"wrap"/)).toBeInTheDocument()
    await fireEvent.click(write)
    expect(protect).toHaveBeenCalledWith('claude-desktop', coverageOf().clients[0]?.path, ['weather'], 'd7', 'n7')
    expect(await screen.findByText(/is guarded\. Restart/)).toBeInTheDocument()
  })

  it('keeps what it showed when the program does not answer any more', async () => {
    let fails = false
    const { rerender, props } = list({ servers: () => (fails ? refuse(4050, 'no hub') : Promise.resolve([serverOf()])) })
    await screen.findByRole('link', { name: /Open server weather/ })
    fails = true
    await rerender({ ...props, changed: 1 })
    expect(await screen.findByText(/everything blocked stays blocked/i)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: /Open server weather/ })).toBeInTheDocument()
  })

  it('keeps the focus where it is when something changed', async () => {
    const { rerender, props } = list({ servers: async () => [serverOf({ blocked: 0 })] })
    const link = await screen.findByRole('link', { name: /Open server weather/ })
    link.focus()
    await rerender({ ...props, api: props.api, changed: 1 })
    await Promise.resolve()
    expect(document.activeElement).toBe(screen.getByRole('link', { name: /Open server weather/ }))
  })

  it('puts a hostile name into no label, id or address', async () => {
    const { container } = list({ servers: async () => [serverOf({ server: HOSTILE })] })
    const link = await screen.findByRole('link', { name: /Open server number 1/ })
    expect(written(container)).not.toContain('\u202E')
    expect(within(link).getByText(/Safe update/).closest('bdi')).not.toBeNull()
  })

  it('says so when there are no servers at all', async () => {
    list({ servers: async () => [], clients: async () => coverageOf({ total: 0, guarded: 0, clients: [] }) })
    expect(await screen.findByText('No servers in Claude’s settings file.')).toBeInTheDocument()
  })
})

describe('one server', () => {
  it('has its name as the headline, which has the focus', async () => {
    detail(detailOf())
    const heading = await screen.findByRole('heading', { level: 1, name: /weather/ })
    await waitFor(() => expect(heading).toHaveFocus())
  })

  it('says what a client has not seen of it, and nothing of another server of its name', async () => {
    const unseen = (of: string) => [unseenOf('Claude Desktop', 'weather', 'restart Claude Desktop', of)]
    const page = detail(detailOf({ identity, server: 'weather' }))
    await screen.findByRole('heading', { level: 1, name: 'weather' })
    await page.rerender({ overview: overviewOf({ unseen: unseen('stdio:["npx","other"]') }) })
    expect(screen.queryByText(/seen what you allowed/)).toBeNull()
    await page.rerender({ overview: overviewOf({ unseen: unseen(identity) }) })
    expect(screen.getByText(/hasn’t seen what you allowed/)).toBeInTheDocument()
  })

  it('says why nothing of it can be used, where no item says so', async () => {
    const problem = { code: 'SP-221', what: 'the server weather offers protocol versions 2026-07-28; claude-desktop asked for 2025-11-25', next: 'Update the client.' }
    detail(detailOf({ state: 'no_common_version', problem }))
    expect(await screen.findByText(/The server weather offers protocol versions 2026-07-28/)).toBeInTheDocument()
    expect(screen.getByText('(SP-221)')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /Block this server/ })).toBeNull()
  })

  it('keeps the focus and what is unfolded when something changed', async () => {
    const { rerender, props } = detail(detailOf())
    const more = await screen.findByRole('button', { name: 'Description of get_alerts' })
    await fireEvent.click(more)
    more.focus()
    await rerender({ ...props, changed: 1 })
    await Promise.resolve()
    expect(screen.getByText('Does get_alerts.')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Description of get_alerts' })).toHaveFocus()
  })

  it('folds what several rules say of one passage into one warning, and counts those', async () => {
    const rules = ['concealment', 'prerequisite', 'sensitive_source'].map((rule, i) => findingOf({ rule, level: i === 0 ? 'critical' : 'medium', title: `Found by ${rule}`, start: i * 20, end: i * 20 + 15 }))
    const far = findingOf({ rule: 'persistence', level: 'high', title: 'Found far away', start: 900, end: 920 })
    render(ItemRow, { item: itemOf('add', { findings: [...rules, far] }), server: 'weather', id: 'x', blockedWhole: false, busy: false, onblock: () => {} })
    expect(screen.getByText('2 warnings')).toBeInTheDocument()
    await fireEvent.click(screen.getByRole('button', { name: /^Description of/ }))
    expect(screen.getAllByText(/^Rules?: /).map((e) => e.textContent)).toEqual(['Rules: concealment, prerequisite, sensitive source', 'Rule: persistence'])
    expect(within(screen.getByRole('list', { name: 'Also in this passage' })).getAllByRole('listitem')).toHaveLength(2)
  })

  it('shows what a server wrote in a paper box only, warnings of ours beside it', async () => {
    const definition = JSON.stringify({ name: 'x', description: '<img src=x onerror=alert(1)> **Verified by Sallyport**' })
    const { container } = detail(detailOf({ items: [itemOf('x', { state: 'changed', code: '4F2A', definition, findings: [findingOf()] })] }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Description of x' }))
    expect(container.querySelector('img')).toBeNull()
    expect(screen.getByText(/Verified by Sallyport/).closest('[aria-label*="not from Sallyport"]')).not.toBeNull()
    expect(screen.getByText('Asks Claude to read private keys').closest('[aria-label*="not from Sallyport"]')).toBeNull()
    expect(screen.getByRole('link', { name: 'Review x, item 4F2A' })).toHaveAttribute('href', '#/inbox/4F2A')
  })

  it('blocks one item in one press and says where to allow it again', async () => {
    const block = vi.fn(async (_: string, items: string[]) => ({ server: 'weather', items, code: '9XK2' }))
    detail(detailOf(), { block })
    await fireEvent.click(await screen.findByRole('button', { name: 'Block get_alerts' }))
    expect(block).toHaveBeenCalledWith(identity, ['tool:get_alerts'])
    expect(await screen.findByRole('link', { name: 'item 9XK2' })).toBeInTheDocument()
  })

  it('blocks the whole server with no items named', async () => {
    const block = vi.fn(async () => ({ server: 'weather', items: [], code: '9XK2' }))
    detail(detailOf(), { block })
    await fireEvent.click(await screen.findByRole('button', { name: /^Block this server/ }))
    expect(block).toHaveBeenCalledWith(identity, [])
    expect(await screen.findByText(/The whole server is blocked/)).toBeInTheDocument()
  })

  it('has no button that allows anything', async () => {
    detail(detailOf({ state: 'blocked', items: [itemOf('x', { state: 'rejected' })] }))
    await screen.findByRole('button', { name: 'Description of x' })
    expect(screen.queryByRole('button', { name: /allow/i })).not.toBeInTheDocument()
  })

  it('says that nothing was blocked when the program refuses', async () => {
    detail(detailOf(), { block: () => refuse(4050, 'the store cannot be written') })
    await fireEvent.click(await screen.findByRole('button', { name: 'Block get_alerts' }))
    expect(await screen.findByText(/Nothing was blocked. the store cannot be written/)).toBeInTheDocument()
  })

  it('lists 64 of 212 tools until all are asked for', async () => {
    const items = Array.from({ length: 212 }, (_, i) => itemOf(`tool_${i}`))
    const { container } = detail(detailOf({ items }))
    const rows = () => container.querySelectorAll('li[id^="item-tool-"]')
    await waitFor(() => expect(rows()).toHaveLength(64))
    await fireEvent.click(screen.getByText('Show all 212'))
    expect(rows()).toHaveLength(212)
  })

  it('shows what it runs, and what it printed only when asked', async () => {
    const logs = vi.fn(async () => 'listening')
    detail(detailOf({ command: ['run me', '--port', '1'] }), { logs })
    await fireEvent.click(await screen.findByRole('tab', { name: 'Start-up' }))
    expect(screen.getByText('"run me" --port 1')).toBeInTheDocument()
    expect(logs).not.toHaveBeenCalled()
    await fireEvent.click(screen.getByRole('button', { name: 'Show what the server printed' }))
    expect(await screen.findByText('listening')).toBeInTheDocument()
    expect(logs).toHaveBeenCalledWith(identity, 200)
  })

  it('shows where a remote server is, and nothing about a program', async () => {
    const logs = vi.fn(async () => '<html>')
    const launch = { ...itemOf(''), item: 'launch', kind: 'launch' as const, state: 'approved' as const, definition: '{"address": "public"}' }
    const { container } = detail(detailOf({ command: [], remote: true, url: 'https://mcp.linear.example/mcp', items: [launch] }), { logs })
    await fireEvent.click(await screen.findByRole('tab', { name: 'Start-up' }))
    expect(screen.getByText('https://mcp.linear.example/mcp')).toBeInTheDocument()
    expect(screen.getByText('It is reached in the way that you allowed.')).toBeInTheDocument()
    expect(container).not.toHaveTextContent(/program|Sandbox|printed|runs/)
    await fireEvent.click(screen.getByRole('button', { name: 'Show what else the server sent' }))
    expect(await screen.findByText('<html>')).toBeInTheDocument()
  })

  async function history(server: ServerDetail, events = [eventOf('get_forecast')], answers: Partial<Api> = {}) {
    detail(server, { history: async () => events, ...answers })
    await fireEvent.click(await screen.findByRole('tab', { name: 'History' }))
    await screen.findAllByRole('listitem')
  }

  it('tells who allowed what and when, newest first, with the item it was decided on', async () => {
    await history(detailOf(), [
      eventOf('get_forecast', { action: 'replace', at: '2026-11-20T10:02:00Z', code: '77B0' }),
      eventOf('get_alerts', { action: 'trust', by: 'trust-clean', at: '2026-11-20T09:00:00Z', code: '' }),
      eventOf('', { item: 'instructions', kind: 'instructions', action: 'reject' }),
    ])
    const panel = within(screen.getByRole('tabpanel', { name: 'History' }))
    expect(panel.getAllByRole('listitem').map((row) => row.querySelector('.did')?.textContent)).toEqual(['New version allowed by you', 'Allowed unread', 'Kept blocked by you'])
    expect(panel.getByRole('link', { name: /item 77B0$/ })).toHaveAttribute('href', '#/inbox/77B0')
    expect(panel.getByText('Instructions')).toBeInTheDocument()
  })

  it('blocks again what is allowed now, and only that', async () => {
    const block = vi.fn(async () => ({ server: 'weather', items: ['tool:get_forecast'], code: '9XK2' }))
    const items = [itemOf('get_forecast'), itemOf('get_alerts', { state: 'rejected' })]
    await history(detailOf({ items }), [eventOf('get_forecast', { action: 'replace', code: '77B0' }), eventOf('get_alerts', { action: 'block' }), eventOf('get_alerts'), eventOf('get_forecast')], { block })
    const buttons = screen.getAllByRole('button', { name: /^Block again/ })
    expect(buttons.map((b) => b.getAttribute('aria-label'))).toEqual(['Block again: get_forecast'])
    await fireEvent.click(buttons[0] as HTMLElement)
    expect(block).toHaveBeenCalledExactlyOnceWith(identity, ['tool:get_forecast'])
  })

  it('shows a hostile name in its history as a name, and labels nothing with it', async () => {
    await history(detailOf({ items: [itemOf(HOSTILE)] }), [eventOf(HOSTILE)])
    const panel = screen.getByRole('tabpanel', { name: 'History' })
    expect(panel.textContent).not.toMatch(/\u202e/)
    expect(screen.getByRole('button', { name: 'Block again: a part of an odd name' })).toBeInTheDocument()
  })

  it('says that a server is not known any more', async () => {
    list({ server: () => refuse(4004, 'no server') }, '#/servers/gone')
    expect(await screen.findByText('Sallyport no longer knows this server.')).toBeInTheDocument()
  })
})

describe('the settings of a server', () => {
  it.each([[false, 1], [true, 0]])('have a sandbox only if a program of it runs here (remote: %s)', async (remote, sandboxes) => {
    const settings = async () => [settingOf('pins.launch'), settingOf('sandbox', { value: 'off', default: 'off', choices: ['off', 'shield', 'strict'] })]
    detail(detailOf({ identity, remote }), { settings, toolSettings: async () => [], exceptions: async () => [] })
    await fireEvent.click(await screen.findByRole('tab', { name: 'Checks' }))
    expect(await screen.findByRole('group', { name: 'When a server would start a different program' })).toBeInTheDocument()
    expect(screen.queryAllByRole('group', { name: 'Sandbox' })).toHaveLength(sandboxes)
  })
})

describe('the settings of a tool', () => {
  const redact = (with_: Partial<Setting> = {}) => settingOf('redact.mode', { value: 'detect', default: 'detect', choices: ['redact', 'detect', 'off'], scope: 'tool', ...with_ })
  const own = (with_: Partial<ToolSetting> = {}): ToolSetting => ({ ...redact({ value: 'redact', from: 'tool' }), tool: 'read_mail', ...with_ })
  const BACK = 'Use the server’s setting for read_mail: Passwords, keys and tokens in responses'

  async function checks(ofTools: ToolSetting[], answers: Partial<Api> = {}) {
    const toolSettings = vi.fn(async () => ofTools)
    detail(detailOf({ identity }), { settings: async () => [redact()], toolSettings, exceptions: async () => [], ...answers })
    await fireEvent.click(await screen.findByRole('tab', { name: 'Checks' }))
    await screen.findByRole('group', { name: 'Passwords, keys and tokens in responses' })
    toolSettings.mockClear()
    return toolSettings
  }

  it('are listed with the server’s own, a hostile name as what it is', async () => {
    await checks([own(), own({ tool: HOSTILE, value: 'off', lessSafe: true })])
    const card = within(screen.getByRole('region', { name: 'Tools with settings of their own' }))
    const [first, second] = card.getAllByRole('listitem')
    expect(first).toHaveTextContent(/read_mail ?Passwords, keys and tokens in responses: Replace them ?This server: Tell me in Activity/)
    expect(second).toHaveTextContent(/Don’t look for them.*Less safe/)
    expect(second?.textContent).not.toContain('\u202E')
  })

  it('are not spoken of where there are none', async () => {
    await checks([])
    expect(screen.queryByText('Tools with settings of their own')).toBeNull()
  })

  it('are given up at one press where that is safer', async () => {
    const setSetting = vi.fn(async () => redact())
    const asked = await checks([own({ value: 'off', lessSafe: true })], { setSetting })
    await fireEvent.click(screen.getByRole('button', { name: BACK }))
    expect(setSetting).toHaveBeenCalledExactlyOnceWith({ key: 'redact.mode', value: '', server: identity, tool: 'read_mail', nonce: '' })
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(1))
  })

  it('are given up after a question where that is less safe', async () => {
    const sent: SetSetting[] = []
    const setSetting = async (s: SetSetting) => (sent.push(s), s.nonce ? redact() : refuse(4014, 'less safe'))
    const confirmLoosening = vi.fn(async () => ({ nonce: 'n1', armAfterMs: 0, words: 'redact.mode becomes detect.' }))
    await checks([own()], { setSetting, confirmLoosening })
    await fireEvent.click(screen.getByRole('button', { name: BACK }))
    expect(await screen.findByText(/The response stays unchanged. This applies to this tool./)).toHaveFocus()
    expect(confirmLoosening).toHaveBeenCalledWith('redact.mode', '', identity, 'read_mail')
    await fireEvent.click(screen.getByRole('button', { name: /^Change to the server’s setting/ }))
    expect(sent.at(-1)).toEqual({ key: 'redact.mode', value: '', server: identity, tool: 'read_mail', nonce: 'n1' })
  })

  it('that a file sets under another name of the server are said to stay', async () => {
    await checks([own()], { setSetting: async () => redact({ value: 'redact', from: 'tool' }) })
    await fireEvent.click(screen.getByRole('button', { name: BACK }))
    expect(await screen.findByText(/settings.json names the server in another way/)).toBeInTheDocument()
  })
})

describe('what happens to calls of a tool', () => {
  const mode = (with_: Partial<Setting> = {}) => settingOf('tools.mode', { value: 'allow', default: 'allow', choices: ['allow', 'ask', 'off'], scope: 'tool', ...with_ })
  const own = (tool: string, value: string): ToolSetting => ({ ...mode({ value, from: 'tool' }), tool })
  const items = [itemOf('read_file', { readOnly: true, tokens: 40 }), itemOf('write_file', { tokens: 164 }), itemOf('delete_file', { tokens: 20 }), itemOf('later', { state: 'new', tokens: 900 })]

  async function tools(ofTools: ToolSetting[], answers: Partial<Api> = {}) {
    detail(detailOf({ identity, items }), { settings: async () => [mode()], toolSettings: async () => ofTools, exceptions: async () => [], ...answers })
    return (await screen.findByRole('combobox', { name: 'When Claude calls write_file' })) as HTMLSelectElement
  }

  it('is chosen for each tool that is allowed, and says what the server’s setting is', async () => {
    const select = await tools([own('delete_file', 'ask')])
    expect(select.value).toBe('')
    expect(within(select).getAllByRole('option').map((o) => o.textContent)).toEqual(['As the server: Let it run', 'Let it run', 'Ask me about each call', 'Leave the tool out'])
    expect((screen.getByRole('combobox', { name: 'When Claude calls delete_file' }) as HTMLSelectElement).value).toBe('ask')
    expect(screen.queryByRole('combobox', { name: 'When Claude calls later' })).toBeNull()
  })

  it('changes at once where that is safer', async () => {
    const setSetting = vi.fn(async () => mode({ value: 'ask', from: 'tool' }))
    const select = await tools([], { setSetting })
    await fireEvent.change(select, { target: { value: 'ask' } })
    expect(setSetting).toHaveBeenCalledExactlyOnceWith({ key: 'tools.mode', value: 'ask', server: identity, tool: 'write_file', nonce: '' })
  })

  it('changes after a question where that is less safe, and shows what is in force if the answer is no', async () => {
    const setSetting = vi.fn(async () => refuse(4014, 'less safe'))
    const confirmLoosening = vi.fn(async () => ({ nonce: 'n1', armAfterMs: 0, words: 'tools.mode becomes allow.' }))
    await tools([own('write_file', 'off')], { setSetting, confirmLoosening })
    const select = screen.getByRole('combobox', { name: 'When Claude calls write_file' }) as HTMLSelectElement
    await fireEvent.change(select, { target: { value: 'allow' } })
    await fireEvent.click(await screen.findByRole('button', { name: /^Keep “Leave the tool out”/ }))
    expect(select.value).toBe('off')
    expect(confirmLoosening).toHaveBeenCalledWith('tools.mode', 'allow', identity, 'write_file')
  })

  it('is asked about with one press for every tool that doesn’t claim to change nothing', async () => {
    const sent: SetSetting[] = []
    await tools([], { setSetting: async (s: SetSetting) => (sent.push(s), mode({ value: 'ask' })) })
    await fireEvent.click(screen.getByRole('button', { name: 'Ask me first, except for read-only tools' }))
    expect(await screen.findByText('From now on you review every call of 2 more tools.')).toBeInTheDocument()
    expect(sent.map((s) => [s.tool, s.value])).toEqual([['write_file', 'ask'], ['delete_file', 'ask']])
  })

  it('costs tokens in every conversation, unless the tool is left out', async () => {
    await tools([own('delete_file', 'off')])
    expect(screen.getByRole('heading', { name: /^Tools/ })).toHaveTextContent('Tools 4 · about 200 tokens of every conversation')
    expect(screen.getByText('about 160 tokens')).toBeInTheDocument()
  })
})
