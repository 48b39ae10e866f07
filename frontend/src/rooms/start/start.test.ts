import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { Api, Coverage, Item, Preview } from '../../lib/api'
import { readRoute } from '../../lib/route'
import { apiOf, coverageOf, entry, lightOf, overviewOf, previewOf, refuse, serverOf, written as all } from '../../test/rooms'
import Start from './Start.svelte'
import { fileWords, lookedWords, proofOf } from './words'

const path = coverageOf().clients[0]?.path ?? ''

function open(answers: Partial<Api> = {}, coverage: Partial<Coverage> = {}) {
  const api = apiOf({ clients: async () => coverageOf(coverage), previewProtect: async () => previewOf(), servers: async () => [], ...answers })
  const props = { api, route: readRoute('#/start'), overview: overviewOf({ firstRun: true }), changed: 0 }
  return { ...render(Start, props), props }
}

const see = () => screen.findByRole('button', { name: 'See the exact change' })
const protectButton = () => screen.findByRole('button', { name: /^Protect/ })

function one(with_: Partial<NonNullable<Coverage['clients'][number]>>): Partial<Coverage> {
  return { clients: coverageOf().clients.map((c) => ({ ...c, ...with_ })) }
}

describe('before anything is written', () => {
  it('names the file and its servers, and says why one cannot be guarded', async () => {
    open()
    expect(await screen.findByText(path)).toBeInTheDocument()
    expect(await screen.findByRole('checkbox', { name: 'Guard weather' })).toBeChecked()
    expect(screen.getByRole('checkbox', { name: 'Guard remote' })).toBeDisabled()
    expect(screen.getByText('npx @acme/weather')).toBeInTheDocument()
    expect(screen.getByText('A remote server, which this version can\'t guard.')).toBeInTheDocument()
  })

  it('writes nothing before the lines were looked at', async () => {
    const protect = vi.fn(async () => previewOf())
    open({ protect })
    expect(await protectButton()).toBeDisabled()
    await fireEvent.click(await see())
    expect(screen.getByText(/"wrap"/)).toBeInTheDocument()
    await waitFor(async () => expect(await protectButton()).toBeEnabled())
    expect(protect).not.toHaveBeenCalled()
  })

  it('counts what is chosen and shows the lines of just that', async () => {
    const previewProtect = vi.fn(async () => previewOf())
    open({ previewProtect })
    expect(await screen.findByRole('button', { name: 'Protect 2 servers' })).toBeInTheDocument()
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Guard notes' }))
    expect(await screen.findByRole('button', { name: 'Protect 1 server' })).toBeInTheDocument()
    expect(previewProtect).toHaveBeenLastCalledWith('claude-desktop', path, ['weather'])
    expect(screen.getByText('Claude keeps using it without checks.')).toBeInTheDocument()
  })

  it('asks the program for no change at all when nothing is chosen: no names would mean every server', async () => {
    const previewProtect = vi.fn(async () => previewOf())
    open({ previewProtect })
    await fireEvent.click(await screen.findByRole('checkbox', { name: 'Guard notes' }))
    const before = previewProtect.mock.calls.length
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Guard weather' }))
    expect(await screen.findByText('Choose at least one server.')).toBeInTheDocument()
    expect(previewProtect.mock.calls.length).toBeLessThanOrEqual(before + 1)
    expect(screen.queryByRole('button', { name: /^Protect/ })).not.toBeInTheDocument()
  })

  it('“Not now” is remembered and leads to the inbox', async () => {
    const notNow = vi.fn(async () => undefined)
    open({ notNow })
    await fireEvent.click(await screen.findByRole('button', { name: 'Not now' }))
    expect(notNow).toHaveBeenCalledOnce()
    await waitFor(() => expect(location.hash).toBe('#/inbox'))
  })

  it('shows the new lines when the file changed while they were looked at', async () => {
    const protect = vi.fn(() => refuse(4009, 'changed'))
    open({ protect })
    await fireEvent.click(await see())
    await waitFor(async () => expect(await protectButton()).toBeEnabled())
    await fireEvent.click(await protectButton())
    expect(await screen.findByText('Your file changed while you were looking. Here is the new version.')).toBeInTheDocument()
    await waitFor(async () => expect(await protectButton()).toBeEnabled())
  })

  it('says that nothing was changed, and why', async () => {
    open({ protect: () => refuse(4050, 'disk full') })
    await fireEvent.click(await see())
    await waitFor(async () => expect(await protectButton()).toBeEnabled())
    await fireEvent.click(await protectButton())
    expect(await screen.findByText('Nothing was changed. Reason: disk full')).toBeInTheDocument()
  })

  for (const [state, words] of [
    ['absent', 'We couldn’t find the settings file of Claude Desktop.'],
    ['unreadable', 'There’s a typo on line 14, column 3, so Sallyport can’t read the list of servers.'],
    ['denied', 'Your system doesn’t let Sallyport read this file.'],
  ] as const) {
    it(`says what is the matter with a file that is ${state}`, async () => {
      open({}, one({ state, why: 'line 14, column 3', total: 0, entries: [] }))
      expect(await screen.findByText(words)).toBeInTheDocument()
      expect(screen.getByRole('button', { name: 'Look again' })).toBeInTheDocument()
      expect(screen.queryByRole('button', { name: /^Protect/ })).not.toBeInTheDocument()
    })
  }

  const trouble = { state: 'unreadable', why: 'line 3, column 29: unexpected "', total: 0, entries: [], help: { choose: true, show: true, chosen: false } }

  for (const state of ['absent', 'unreadable', 'denied']) {
    it(`offers another file, and the folder, at a file that is ${state}`, async () => {
      const showInFolder = vi.fn(async () => undefined)
      open({ showInFolder }, one({ ...trouble, state }))
      expect(await screen.findByRole('button', { name: 'Choose file… for Claude Desktop' })).toBeEnabled()
      await fireEvent.click(screen.getByRole('button', { name: 'Show in folder: the file of Claude Desktop' }))
      expect(showInFolder).toHaveBeenCalledExactlyOnceWith('claude-desktop', false)
    })
  }

  it('offers neither at a file that can be read', async () => {
    open()
    expect(await screen.findByRole('checkbox', { name: 'Guard weather' })).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /^(Choose file|Show in folder)/ })).not.toBeInTheDocument()
  })

  it('goes on with the file that was chosen, and not at all where none was', async () => {
    const [claude] = coverageOf().clients
    if (!claude) throw new Error('no client')
    const broken = { ...claude, ...trouble }
    let chosen = ''
    const clients = vi.fn(async () => coverageOf({ clients: chosen ? [broken, { ...claude, path: chosen, help: { choose: false, show: false, chosen: true } }] : [broken] }))
    const previewProtect = vi.fn(async () => previewOf())
    const chooseFile = vi.fn(async () => chosen)
    open({ clients, previewProtect, chooseFile })
    await fireEvent.click(await screen.findByRole('button', { name: /^Choose file/ }))
    await waitFor(() => expect(screen.getByRole('button', { name: /^Choose file/ })).toBeEnabled())
    expect(clients).toHaveBeenCalledOnce()
    chosen = '/home/ada/mine.json'
    await fireEvent.click(screen.getByRole('button', { name: /^Choose file/ }))
    expect(await screen.findByText('/home/ada/mine.json')).toBeInTheDocument()
    expect(await screen.findByRole('checkbox', { name: 'Guard weather' })).toBeChecked()
    expect(chooseFile.mock.calls).toEqual([['claude-desktop'], ['claude-desktop']])
    expect(previewProtect).toHaveBeenCalledWith('claude-desktop', '/home/ada/mine.json', [])
    expect(screen.getByRole('radio', { name: /the file you chose/ })).toBeChecked()
  })

  it('says why the folder could not be shown', async () => {
    open({ showInFolder: () => refuse(4050, 'The folder couldn’t be shown.') }, one(trouble))
    await fireEvent.click(await screen.findByRole('button', { name: /^Show in folder/ }))
    expect(await screen.findByRole('alert')).toHaveTextContent('The folder couldn’t be shown.')
  })

  it('reads a file that nobody has asked for only when asked', async () => {
    const previewProtect = vi.fn(async () => previewOf())
    open({ previewProtect }, one({ state: 'unseen', total: 0, entries: [] }))
    const look = await screen.findByRole('button', { name: /^Look at the file/ })
    expect(previewProtect).not.toHaveBeenCalled()
    await fireEvent.click(look)
    expect(await screen.findByRole('checkbox', { name: 'Guard weather' })).toBeChecked()
  })

  it('offers every client that has a file', async () => {
    const [claude] = coverageOf().clients
    if (!claude) throw new Error('no client')
    open({}, { clients: [{ ...claude, client: 'cursor', name: 'Cursor', path: '/c' }, claude] })
    expect(await screen.findByRole('radio', { name: /Claude Desktop/ })).toBeChecked()
    await fireEvent.click(screen.getByRole('radio', { name: /Cursor/ }))
    expect(await screen.findByText('/c')).toBeInTheDocument()
  })

  it('puts a hostile name of an entry into no label', async () => {
    const { container } = open({ previewProtect: async () => previewOf({ entries: [entry('Safe ✅ \u202E', 'wrapped')] }) })
    expect(await screen.findByRole('checkbox', { name: 'Guard entry 1' })).toBeChecked()
    expect(all(container)).not.toContain('\u202E')
  })
})

describe('after it was written', () => {
  const written = previewOf({ written: true, nonce: '', backup: '20261121-100204.117-3fa94c1b' })
  const found = (name: string, code: string) => [{ server: name, state: code ? 'waits' : 'nothing to decide', code, kind: 'new_server', items: 4, error: '' }]

  const waitingItem: Item = {
    code: '4F2A', kind: 'new_server', server: 'weather', identity: '', severity: 'high', title: '', digest: '', created: '', asked: false, noisy: false, runs: false, launch: '', clean: false, parts: [], warnings: 0, decided: '', decidedAt: '', path: '',
    count: 0, first: '', last: '', codes: [], group: '', why: '', rule: '', allowed: false, expires: '',
  }

  async function protectedNow(answers: Partial<Api> = {}) {
    const shown = open({
      protect: async () => written,
      previewUnprotect: async (): Promise<Preview> => previewOf({ digest: 'd5', nonce: 'n5' }),
      look: async (_, __, [name = '']) => found(name, name === 'weather' ? '4F2A' : ''),
      ...answers,
    })
    await fireEvent.click(await see())
    await waitFor(async () => expect(await protectButton()).toBeEnabled())
    await fireEvent.click(await protectButton())
    await screen.findByRole('heading', { name: 'Done. What happens now' })
    return shown
  }

  it('says what was saved and that the client must be restarted', async () => {
    await protectedNow()
    expect(screen.getByText('File saved')).toBeInTheDocument()
    expect(screen.getByText(/^Backup saved \(today \d\d:\d\d\)/)).toBeInTheDocument()
    await fireEvent.click(screen.getByRole('button', { name: 'Show the backup' }))
    expect(screen.getByText('20261121-100204.117-3fa94c1b')).toBeInTheDocument()
    expect(await screen.findByText(/Review the server, then restart Claude Desktop once/)).toBeInTheDocument()
  })

  it('asks for one restart, last of all, once nothing waits any more', async () => {
    await protectedNow({ look: async (_, __, [name = '']) => found(name, '') })
    const restart = await screen.findByText(/^Restart Claude Desktop to finish\. Until then, it uses the old settings\./)
    const rows = screen.getAllByRole('listitem')
    expect(rows.indexOf(restart.closest('li') as HTMLElement)).toBe(rows.length - 1)
  })

  it('says what a look found, in numbers a person can weigh', async () => {
    const finding = { rule: '', level: 'high', category: 'threat', title: '', where: '', start: 0, end: 0, match: '', decoded: '', encodings: [] } as const
    const item = { ...waitingItem, warnings: 1, parts: [{ item: 'tool:a', state: 'new', findings: [{ ...finding, encodings: [] }], passages: [] }] }
    await protectedNow({ inbox: async () => [item] })
    expect(await screen.findByText(/offers 4 items, 1 warning. Blocked until you review it/)).toBeInTheDocument()
  })

  it('looks at each server in turn and leads to the reviews as they come', async () => {
    const look = vi.fn(async (_: string, __: string, [name = '']: string[]) => found(name, name === 'weather' ? '4F2A' : ''))
    await protectedNow({ look })
    expect(await screen.findByRole('link', { name: 'Review weather, item 4F2A' })).toHaveAttribute('href', '#/inbox/4F2A')
    expect(await screen.findByText('1 server needs your review. Claude can’t use it until you allow it.')).toBeInTheDocument()
    expect(look.mock.calls.map((c) => c[2])).toEqual([['weather'], ['notes']])
  })

  it('allows several servers without warnings in one decision', async () => {
    const items = ['weather', 'notes'].map((server, i): Item => ({ ...waitingItem, code: `AAA${i + 2}`, server, clean: true }))
    const now = { items }
    const allowClean = vi.fn(async () => {
      now.items = []
      return { digest: 'd-set', items: items.map(({ code, server }) => ({ code, server, identity: server, approved: ['tool:a'] })), left: [] }
    })
    await protectedNow({
      look: async (_, __, [name = '']) => found(name, name === 'weather' ? 'AAA2' : 'AAA3'),
      inbox: async () => now.items,
      cleanServers: async () => ({ digest: 'd9', nonce: 'n9', armAfterMs: 0, other: 0, servers: items.map(({ code, server }) => ({ code, server, identity: server, digest: 'd', command: ['npx', server], tools: 1, does: '', source: '', parts: ['tool:a'], loaders: [] })) }),
      allowClean,
    })
    await fireEvent.click(await screen.findByRole('button', { name: 'Allow the 2 servers without warnings' }))
    const allow = await screen.findByRole('button', { name: 'Allow 2 servers' })
    await waitFor(() => expect(allow).toBeEnabled())
    await fireEvent.click(allow)
    expect(await screen.findByText('You allowed weather and notes.')).toBeInTheDocument()
    expect(allowClean).toHaveBeenCalledWith('d9', 'n9')
    expect(await screen.findByText('Nothing needs your review.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /without warnings/ })).toBeNull()
  })

  it('a server that cannot be looked at hides no other', async () => {
    await protectedNow({ look: async (_, __, [name = '']) => (name === 'weather' ? refuse(4050, 'program not found') : found(name, '77B0')) })
    expect(await screen.findByText(/program not found/)).toBeInTheDocument()
    expect(await screen.findByRole('link', { name: 'Review notes, item 77B0' })).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: /^Look again/ })).toBeInTheDocument()
  })

  it('undoes in one press exactly what was written', async () => {
    const unprotect = vi.fn(async () => previewOf({ written: true }))
    await protectedNow({ unprotect })
    const undo = screen.getByRole('button', { name: /^Undo/ })
    await waitFor(() => expect(undo).toBeEnabled())
    await fireEvent.click(undo)
    expect(unprotect).toHaveBeenCalledWith('claude-desktop', path, ['weather', 'notes'], 'd5', 'n5')
    expect(await screen.findByText(/The file is as it was before/)).toBeInTheDocument()
  })

  it('says when the client uses a server through Sallyport', async () => {
    let now = serverOf({ light: lightOf('grey', 'Hasn’t started yet', 'not_started', 'Restart Claude Desktop.'), entries: [{ client: 'Claude Desktop', path, name: 'notes', started: false }] })
    const { rerender, props } = await protectedNow({ servers: async () => [now] })
    expect(await screen.findByText('allowed. Hasn’t started yet.')).toBeInTheDocument()
    now = { ...now, wrappers: 1, light: lightOf() }
    await rerender({ ...props, changed: 1 })
    expect(await screen.findByText('Claude Desktop uses it through Sallyport now.')).toBeInTheDocument()
  })

  it('says of no server that it is blocked and in use: what the program says of it now is the one line', async () => {
    const entries = [{ client: 'Claude Desktop', path, name: 'weather', started: true }]
    let now = serverOf({ wrappers: 1, state: 'new', code: '4F2A', entries, light: lightOf('amber', 'Needs your review', 'review') })
    const { rerender, props } = await protectedNow({ servers: async () => [now] })
    expect(await screen.findByText(/Blocked until you review it/)).toBeInTheDocument()
    expect(screen.queryByText(/uses it through Sallyport/)).not.toBeInTheDocument()
    now = serverOf({ wrappers: 1, entries })
    await rerender({ ...props, changed: 1 })
    expect(await screen.findByText('Claude Desktop uses it through Sallyport now.')).toBeInTheDocument()
    expect(screen.queryByText(/Blocked until you review it/)).not.toBeInTheDocument()
    expect(screen.queryByRole('link', { name: /^Review weather/ })).not.toBeInTheDocument()
  })
})

describe('the words', () => {
  it('of a look never call a server allowed that waits or failed', () => {
    expect(lookedWords({ server: 'a', state: 'waits', code: '4F2A', kind: '', items: 1, error: '' }).state).toBe('review')
    expect(lookedWords({ server: 'a', state: 'not looked at', code: '', kind: '', items: 0, error: 'gone' }).state).toBe('failed')
  })

  it('of a file in a state that is not known leave it alone', () => {
    const [claude] = coverageOf().clients
    if (!claude) throw new Error('no client')
    expect(fileWords({ ...claude, state: 'odd' })?.title).toContain('can’t read the settings file')
  })
})

it('says of a server that was blocked while its client has not been restarted that it is blocked', () => {
  const late = lightOf('grey', 'Hasn’t started yet', 'not_started', 'Restart Claude Desktop.')
  const step = { state: 'review', words: 'offers 2 items. Blocked until you review it.', code: '4F2A' } as const
  expect(proofOf(step, serverOf({ state: 'blocked', light: late }), 'Claude Desktop').words).toBe('blocked by you. Hasn’t started yet.')
  expect(proofOf(step, serverOf({ state: 'open', light: late }), 'Claude Desktop').words).toBe('allowed. Hasn’t started yet.')
})
