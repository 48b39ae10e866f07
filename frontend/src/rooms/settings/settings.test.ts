import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { Api, SetSetting, Setting } from '../../lib/api'
import { readRoute } from '../../lib/route'
import { apiOf, backupOf, coverageOf, entry, overviewOf, previewOf, refuse, settingOf } from '../../test/rooms'
import Settings from './Settings.svelte'
import { allowedWords, amountWords, meaningOf, sectionsOf, wordsOf } from './words'

const launch = (with_: Partial<Setting> = {}) => settingOf('pins.launch', with_)

function open(settings: Setting[], answers: Partial<Api> = {}, overview = overviewOf()) {
  const api = apiOf({ settings: async () => settings, clients: async () => coverageOf(), backups: async () => [], ...answers })
  const props = { api, route: readRoute('#/settings'), overview, changed: 0 }
  return { ...render(Settings, props), props }
}

const card = (label: string) => screen.findByRole('group', { name: label })
const LAUNCH = 'When a server would start a different program'

describe('the words of the settings', () => {
  it('leave no setting out, known or not', () => {
    const settings = [launch(), settingOf('brand.new'), settingOf('sandbox')]
    const shown = sectionsOf(settings).flatMap((s) => s.settings.map((x) => x.key))
    expect(shown.sort()).toEqual(settings.map((s) => s.key).sort())
  })

  it('take the table’s own sentence where there are none', () => {
    expect(wordsOf(settingOf('brand.new', { doc: 'What it does.' }))).toMatchObject({ label: 'brand.new', effect: 'What it does.' })
  })
})

describe('a value that is typed', () => {
  it.each([['30s', '30 seconds'], ['1m', '1 minute'], ['2160h', '90 days'], ['24h', '24 hours'], ['1m30s', '1 minute 30 seconds'], ['2h0m0s', '2 hours'], ['0s', '0 seconds'], ['10ms', '10 milliseconds'], ['64MiB', '64 MiB'], ['off', 'off'], ['<b>', '<b>']])('%s is %s', (value, words) => {
    expect(amountWords(value)).toBe(words)
  })

  it('says what may be typed, what it would be by itself, and which way is safer', () => {
    expect(allowedWords(settingOf('pins.recheck', { default: '30s', safer: 'shorter', values: 'a duration from 0 (every call) to 24h, or off' }))).toBe(
      'From 0 (every call) to 24h, such as 30s or 5m. off never re-checks. Default: 30 seconds. Shorter is safer.',
    )
  })

  it('says what a less safe one means', () => {
    expect(meaningOf('limits.message', '1GiB')).toBe('Messages of up to 1 GiB pass, in either direction.')
    expect(meaningOf('pins.recheck', 'off')).toBe('Sallyport misses changes that a running server doesn’t announce.')
  })
})

describe('a setting', () => {
  it('that tightens is saved at once and says so', async () => {
    const setSetting = vi.fn(async ({ key, value }: SetSetting) => launch({ key, value }))
    open([launch()], { setSetting })
    await fireEvent.click(within(await card(LAUNCH)).getByRole('radio', { name: /Block it/ }))
    expect(setSetting).toHaveBeenCalledExactlyOnceWith({ key: 'pins.launch', value: 'block', server: '', nonce: '' })
    await waitFor(() => expect(screen.getByText('Saved')).toBeInTheDocument())
    expect(screen.getByRole('radio', { name: /Block it/ })).toBeChecked()
  })

  function loosening() {
    const asked: SetSetting[] = []
    const setSetting = async (s: SetSetting) => {
      asked.push(s)
      return s.nonce === 'n1' ? launch({ value: s.value, lessSafe: true, from: 'settings' }) : refuse(4014, 'less safe')
    }
    const confirmLoosening = vi.fn(async () => ({ nonce: 'n1', armAfterMs: 0, words: 'No change of a command is looked at.' }))
    open([launch()], { setSetting, confirmLoosening })
    return { asked, confirmLoosening }
  }

  it('that loosens says first what stops being checked', async () => {
    const { asked, confirmLoosening } = loosening()
    await fireEvent.click(within(await card(LAUNCH)).getByRole('radio', { name: /Don’t check/ }))
    expect(await screen.findByText(/You don’t find out when a different program runs. This applies to every server/)).toHaveFocus()
    expect(screen.getByText('No change of a command is looked at.')).toBeInTheDocument()
    expect(confirmLoosening).toHaveBeenCalledWith('pins.launch', 'off', '')
    expect(asked).toHaveLength(1)
    await fireEvent.click(screen.getByRole('button', { name: /^Change to “Don’t check”/ }))
    expect(asked[1]).toEqual({ key: 'pins.launch', value: 'off', server: '', nonce: 'n1' })
    expect(await screen.findByText('Less safe')).toBeInTheDocument()
  })

  it('that loosens is left as it was by the first button', async () => {
    const { asked } = loosening()
    await fireEvent.click(within(await card(LAUNCH)).getByRole('radio', { name: /Don’t check/ }))
    await fireEvent.click(await screen.findByRole('button', { name: /^Keep/ }))
    expect(asked).toHaveLength(1)
    expect(screen.getByRole('radio', { name: /Tell me/ })).toBeChecked()
    expect(screen.queryByText(/This makes things less safe/)).not.toBeInTheDocument()
  })

  it('that loosens cannot be confirmed before the question could be read', async () => {
    const setSetting = vi.fn(() => refuse(4014, 'less safe'))
    open([launch()], { setSetting, confirmLoosening: async () => ({ nonce: 'n1', armAfterMs: 60_000, words: 'Nobody notices.' }) })
    await fireEvent.click(within(await card(LAUNCH)).getByRole('radio', { name: /Don’t check/ }))
    expect(await screen.findByRole('button', { name: /^Change/ })).toBeDisabled()
  })

  it('that is refused shows what is in force again, and why', async () => {
    open([launch()], { setSetting: () => refuse(4050, 'settings.json can\'t be read; fix it first') })
    await fireEvent.click(within(await card(LAUNCH)).getByRole('radio', { name: /Block it/ }))
    expect(await screen.findByText(/fix it first. Nothing was changed/)).toBeInTheDocument()
    expect(screen.getByRole('radio', { name: /Tell me/ })).toBeChecked()
  })

  it('with a free value is saved by its button, not by every letter', async () => {
    const setSetting = vi.fn(async ({ key, value }: SetSetting) => settingOf(key, { value, default: '30s', choices: [] }))
    open([settingOf('pins.recheck', { value: '30s', default: '30s', choices: [], values: 'a duration' })], { setSetting })
    const input = await screen.findByRole('textbox', { name: /Re-check servers/ })
    await fireEvent.input(input, { target: { value: '10s' } })
    expect(setSetting).not.toHaveBeenCalled()
    await fireEvent.click(screen.getByRole('button', { name: /^Save Re-check servers/ }))
    expect(setSetting).toHaveBeenCalledWith({ key: 'pins.recheck', value: '10s', server: '', nonce: '' })
  })

  it('that differs from its default has a way back to it', async () => {
    const setSetting = vi.fn(async ({ key, value }: SetSetting) => launch({ key, value }))
    open([launch({ value: 'off', lessSafe: true })], { setSetting })
    await fireEvent.click(await screen.findByRole('button', { name: /^Reset/ }))
    expect(setSetting).toHaveBeenCalledWith({ key: 'pins.launch', value: 'notify', server: '', nonce: '' })
  })
})

describe('saved copies', () => {
  it('are put back only after the lines were shown, with what would run unguarded', async () => {
    const restore = vi.fn(async () => previewOf({ written: true, backup: 'b9' }))
    open([], {
      backups: async () => [backupOf(1)],
      previewRestore: async () => previewOf({ digest: 'd3', nonce: 'n3', entries: [entry('weather', 'open'), entry('notes', 'guarded')] }),
      restore,
    })
    await fireEvent.click(await screen.findByRole('button', { name: /^See what would change/ }))
    expect(await screen.findByText('1 server in this copy is not guarded. Claude would use it without checks.')).toBeInTheDocument()
    const put = screen.getByRole('button', { name: /^Restore this copy/ })
    await waitFor(() => expect(put).toBeEnabled())
    await fireEvent.click(put)
    expect(restore).toHaveBeenCalledWith(backupOf(1).id, 'd3', 'n3')
    expect(await screen.findByText(/Restart Claude to finish/)).toBeInTheDocument()
  })

  it('are not put back when the file changed meanwhile: the new lines are shown', async () => {
    const previewRestore = vi.fn(async () => previewOf({ nonce: `n${previewRestore.mock.calls.length}` }))
    open([], { backups: async () => [backupOf(1)], previewRestore, restore: () => refuse(4009, 'changed') })
    await fireEvent.click(await screen.findByRole('button', { name: /^See what would change/ }))
    const put = await screen.findByRole('button', { name: /^Restore this copy/ })
    await waitFor(() => expect(put).toBeEnabled())
    await fireEvent.click(put)
    expect(await screen.findByText('Your file changed while you were looking. Here is the new version.')).toBeInTheDocument()
    expect(previewRestore).toHaveBeenCalledTimes(2)
  })
})

describe('this window', () => {
  it('says why there are no notifications, and tests them', async () => {
    open([], { testNotification: async () => 'no notification daemon answers' }, overviewOf({ notifications: 'no session bus' }))
    expect(await screen.findByText(/Watch the tray icon instead/)).toBeInTheDocument()
    await fireEvent.click(screen.getByRole('button', { name: 'Send a test notification' }))
    expect(await screen.findByText('It couldn’t be sent: no notification daemon answers')).toBeInTheDocument()
  })

  it('sends nobody to an icon that is not shown', async () => {
    open([], {}, overviewOf({ notifications: 'no session bus', tray: 'this desktop hides tray icons' }))
    expect(await screen.findByText(/Check this window instead/)).toBeInTheDocument()
    expect(screen.queryByText(/Watch the icon/)).toBeNull()
  })

  it('can be quit where there is no icon to do it at', async () => {
    const askToQuit = vi.fn(async () => undefined)
    open([], { askToQuit })
    await fireEvent.click(await screen.findByRole('button', { name: 'Quit Sallyport…' }))
    expect(askToQuit).toHaveBeenCalledOnce()
  })

  it('sets the theme', async () => {
    const setTheme = vi.fn(async () => undefined)
    open([], { setTheme })
    await fireEvent.click(await screen.findByRole('radio', { name: 'Dark' }))
    expect(setTheme).toHaveBeenCalledWith('dark')
  })

  it('says where things are', async () => {
    open([])
    expect(await screen.findByText('/home/ada/.local/share/sallyport/backups')).toBeInTheDocument()
  })
})
