import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { Api, GuardProvider, GuardVerdict, SetSetting, Setting } from '../../lib/api'
import { readRoute } from '../../lib/route'
import { apiOf, backupOf, coverageOf, entry, guardOf, overviewOf, previewOf, refuse, settingOf, written } from '../../test/rooms'
import Settings from './Settings.svelte'
import { fieldOf, valueOf, type FieldKind } from './fields'
import { guardCounts, guardState, guardWhy, inOrder } from './guards'
import { SECTIONS, sectionsOf } from './sections'
import { allowedWords, amountWords, meaningOf, valueWords, wordsOf } from './words'

const launch = (with_: Partial<Setting> = {}) => settingOf('pins.launch', with_)

function open(settings: Setting[], answers: Partial<Api> = {}, overview = overviewOf()) {
  const api = apiOf({ settings: async () => settings, clients: async () => coverageOf(), backups: async () => [], guards: async () => [], secrets: async () => ({ items: [], why: '' }), ...answers })
  const props = { api, route: readRoute('#/settings'), overview, changed: 0 }
  return { ...render(Settings, props), props }
}

const card = (label: string) => screen.findByRole('group', { name: label })
const LAUNCH = 'When a server would start a different program'

describe('the words of the settings', () => {
  it('leave no setting out, known or not', () => {
    const settings = [launch(), settingOf('brand.new'), settingOf('sandbox'), settingOf('limits.message'), settingOf('pins.recheck')]
    const shown = sectionsOf(settings).flatMap((s) => [...s.settings, ...s.folded].map((x) => x.key))
    expect(shown.sort()).toEqual(settings.map((s) => s.key).sort())
  })

  it('put each setting in one place', () => {
    const keys = SECTIONS.flatMap((s) => [...s.keys, ...s.folded])
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('fold nothing where nothing else is shown', () => {
    expect(sectionsOf([settingOf('guardrail.timeout')])).toMatchObject([{ settings: [{ key: 'guardrail.timeout' }], folded: [] }])
  })

  // docs/flow.md, "What it doesn't find"
  it('say what a comparison of values can’t find', () => {
    const { effect } = wordsOf(settingOf('flow.policy'))
    for (const missed of ['not what is meant', 'spelled out', 'rewords', 'whoever wrote', 'sends by itself']) expect(effect).toContain(missed)
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
      'From 0 (every call) to 24 hours. Default: 30 seconds. Shorter is safer.',
    )
  })

  it.each<[string, FieldKind, string, string]>([
    ['30s', 'time', '30', 's'], ['2160h', 'time', '90', 'd'], ['24h', 'time', '24', 'h'], ['1m30s', 'time', '90', 's'], ['1.5s', 'time', '1500', 'ms'], ['0s', 'time', '0', 's'], ['off', 'time', '', 'off'],
    ['64MiB', 'size', '64', 'MiB'], ['100', 'size', '100', 'B'], ['64', 'number', '64', ''], ['off', 'text', '', ''], ['/x y', 'text', '/x y', ''], ['["a b","-c"]', 'lines', 'a b\n-c', ''], ['<b>', 'time', '<b>', 's'],
  ])('%s is typed as a %s: %s %s', (value, kind, text, unit) => {
    expect(fieldOf(value, kind)).toEqual({ text, unit })
  })

  it.each<[string, string, FieldKind, string]>([
    ['90', 'd', 'time', '2160h'], ['1,5', 'h', 'time', '1.5h'], ['10s', 'm', 'time', '10s'], ['', 's', 'time', ''], ['', 'off', 'time', 'off'], ['7', 'MiB', 'size', '7MiB'], ['7KiB', 'MiB', 'size', '7KiB'],
    [' ', '', 'text', 'off'], [' /usr/bin/guard \n\n-v ', '', 'lines', '["/usr/bin/guard","-v"]'], ['\n', '', 'lines', 'off'],
  ])('%j %s as a %s is %s', (text, unit, kind, value) => {
    expect(valueOf({ text, unit }, kind)).toBe(value)
  })

  it('is named in a sentence', () => {
    expect(valueWords({ key: 'pins.recheck' }, 'off')).toBe('never')
    expect(valueWords({ key: 'guardrail.command.argv' }, '["/usr/bin/guard","-v"]')).toBe('/usr/bin/guard -v')
    expect(valueWords({ key: 'guardrail.http.url' }, 'off')).toBe('nothing')
    expect(valueWords({ key: 'guardrail.provider' }, 'builtin,command')).toBe('Sallyport’s own rules, A program of yours (command)')
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
    expect(setSetting).toHaveBeenCalledExactlyOnceWith({ key: 'pins.launch', value: 'block', server: '', tool: '', nonce: '' })
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
    expect(confirmLoosening).toHaveBeenCalledWith('pins.launch', 'off', '', '')
    expect(asked).toHaveLength(1)
    await fireEvent.click(screen.getByRole('button', { name: /^Change to “Don’t check”/ }))
    expect(asked[1]).toEqual({ key: 'pins.launch', value: 'off', server: '', tool: '', nonce: 'n1' })
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

  const recheck = (with_: Partial<Setting> = {}) => settingOf('pins.recheck', { value: '30s', default: '30s', choices: [], values: 'a duration', ...with_ })

  it('with a free value is saved by its button, not by every letter', async () => {
    const setSetting = vi.fn(async ({ key, value }: SetSetting) => recheck({ key, value }))
    open([recheck()], { setSetting })
    const save = await screen.findByRole('button', { name: /^Save Re-check servers/ })
    expect(save).toBeDisabled()
    await fireEvent.input(screen.getByRole('textbox', { name: /Re-check servers/ }), { target: { value: '10' } })
    await fireEvent.change(screen.getByRole('combobox', { name: /^Unit for: Re-check servers/ }), { target: { value: 'm' } })
    expect(setSetting).not.toHaveBeenCalled()
    await fireEvent.click(save)
    expect(setSetting).toHaveBeenCalledWith({ key: 'pins.recheck', value: '10m', server: '', tool: '', nonce: '' })
    await waitFor(() => expect(save).toBeDisabled())
  })

  it('with a free value shows what is in force again after a question is left', async () => {
    open([recheck()], { setSetting: () => refuse(4014, 'less safe'), confirmLoosening: async () => ({ nonce: 'n1', armAfterMs: 0, words: 'Longer.' }) })
    const unit = await screen.findByRole('combobox', { name: /^Unit for: Re-check servers/ })
    await fireEvent.change(unit, { target: { value: 'off' } })
    expect(screen.getByRole('textbox', { name: /Re-check servers/ })).toBeDisabled()
    await fireEvent.click(screen.getByRole('button', { name: /^Save Re-check servers/ }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Keep “30 seconds” for: Re-check servers every' }))
    expect(unit).toHaveValue('s')
    expect(screen.getByRole('textbox', { name: /Re-check servers/ })).toHaveValue('30')
  })

  it('of which several values can be on sends all of them, and says that they are tried first', async () => {
    const providers = (value: string) => settingOf('guardrail.provider', { value, default: 'builtin', choices: [], values: 'builtin, and any of command' })
    let answer: (row: Setting) => void = () => undefined
    const setSetting = vi.fn(() => new Promise<Setting>((done) => (answer = done)))
    open([providers('builtin,command,mystery')], { setSetting })
    const boxes = within(await card('Who checks responses'))
    expect(boxes.getByRole('checkbox', { name: /Sallyport’s own rules/ })).toBeDisabled()
    expect(boxes.getByRole('checkbox', { name: /^mystery/ })).toBeChecked()
    await fireEvent.click(boxes.getByRole('checkbox', { name: /A service at an address/ }))
    expect(setSetting).toHaveBeenCalledWith({ key: 'guardrail.provider', value: 'builtin,command,http,mystery', server: '', tool: '', nonce: '' })
    expect(screen.getByText(/tries it out first/)).toBeInTheDocument()
    answer(providers('builtin,command,http'))
    expect(await boxes.findByRole('checkbox', { name: /A service at an address/ })).toBeChecked()
    await waitFor(() => expect(screen.queryByText(/tries it out first/)).not.toBeInTheDocument())
  })

  it('of which a provider did not respond shows what is in force again, and why', async () => {
    open([settingOf('guardrail.provider', { value: 'builtin', default: 'builtin', choices: [] })], { setSetting: () => refuse(4001, 'it has no program; set guardrail.command.argv; nothing was changed') })
    const box = await screen.findByRole('checkbox', { name: /A program of yours/ })
    box.focus()
    await fireEvent.click(box)
    expect(await screen.findByText('it has no program; set “Your program”. Nothing was changed.')).toBeInTheDocument()
    expect(box).not.toBeChecked()
    expect(box).toHaveFocus()
  })

  it('that few people need is behind a button, which says how many were changed', async () => {
    open([recheck(), settingOf('limits.message', { value: '1MiB', default: '64MiB', choices: [], values: 'a size' })])
    const more = await screen.findByRole('button', { name: 'More settings (1 changed): Checks' })
    expect(screen.queryByRole('textbox', { name: 'Largest message' })).not.toBeInTheDocument()
    await fireEvent.click(more)
    expect(screen.getByRole('textbox', { name: 'Largest message' })).toHaveValue('1')
  })

  it('that few people need is shown while it is less safe', async () => {
    open([recheck(), settingOf('limits.message', { value: '1GiB', default: '64MiB', choices: [], values: 'a size', lessSafe: true })])
    expect(await screen.findByRole('textbox', { name: 'Largest message' })).toBeInTheDocument()
  })

  it('that differs from its default has a way back to it', async () => {
    const setSetting = vi.fn(async ({ key, value }: SetSetting) => launch({ key, value }))
    open([launch({ value: 'off', lessSafe: true })], { setSetting })
    await fireEvent.click(await screen.findByRole('button', { name: /^Reset/ }))
    expect(setSetting).toHaveBeenCalledWith({ key: 'pins.launch', value: 'notify', server: '', tool: '', nonce: '' })
  })
})

describe('how an extra check is doing', () => {
  it.each<[string, Partial<GuardProvider>, string, string, string]>([
    ['our own rules', { name: 'builtin', reason: 'always on, in each guarded server' }, 'Always on', '', ''],
    ['one that is off', { state: 'off', reason: 'switched off' }, 'Off', '', ''],
    ['one that can’t be switched on yet', { state: 'off', reason: 'it has no program; set guardrail.command.argv', lacks: 'it has no program; set guardrail.command.argv' }, 'Off', '', 'It has no program; set “Your program”.'],
    ['one that is new', {}, 'Ready', 'Not asked yet.', ''],
    ['one that works', { asked: 1204, failed: 2, p50_ms: 0.84 }, 'Ready', 'Asked 1,204 times. Failed twice. Usually takes 0.8 ms.', ''],
    ['one that some servers use', { asked: 1, reason: 'on for some servers only' }, 'Ready', 'Asked once.', 'On for some servers only.'],
    ['one that failed', { asked: 4, failed: 1, p50_ms: 1500, failing: true, reason: 'gave no verdict in time' }, 'Failing', 'Asked 4 times. Failed once. Usually takes 1.5 s.', 'Last failure: gave no verdict in time.'],
    ['one that nobody asks now', { state: 'paused', asked: 3, failed: 3, failing: true, reason: 'gave no verdict in time' }, 'Paused', 'Asked 3 times. Failed 3 times.', 'It failed three times in a row, so Sallyport waits 30 seconds before it asks again. Last failure: gave no verdict in time.'],
    ['one without its program', { failing: true, reason: 'it has no program', lacks: 'it has no program' }, 'Failing', '', 'It has no program.'],
  ])('%s', (_, with_, word, counts, why) => {
    const guard = guardOf('command', with_)
    expect([guardState(guard).word, guardCounts(guard), guardWhy(guard)]).toEqual([word, counts, why])
  })

  it('is listed in the order of the boxes, what only a file names last', () => {
    expect(inOrder(['mystery', 'http', 'builtin', 'llamafirewall'].map((name) => guardOf(name))).map((g) => g.name)).toEqual(['builtin', 'llamafirewall', 'http', 'mystery'])
  })
})

describe('trying an extra check', () => {
  const providers = () => settingOf('guardrail.provider', { value: 'builtin,command', default: 'builtin', choices: [] })
  const COMMAND = 'Try it: A program of yours (command)'

  function tries(testGuard: Api['testGuard'], ...guards: GuardProvider[]) {
    const asked = vi.fn(async () => guards)
    open([providers()], { guards: asked, testGuard })
    return asked
  }

  it('says the verdict, what ran and what did not, and counts again', async () => {
    const verdict: GuardVerdict = { provider: 'command', verdict: 'block', score: 0.93, duration_us: 1250, reason: 'an <b>order</b>', ran: ['REGEX'], not_run: { PROMPT_GUARD: 'its model is not on this computer' } }
    const testGuard = vi.fn(async () => verdict)
    const asked = tries(testGuard, guardOf('command'))
    await fireEvent.click(await screen.findByRole('button', { name: COMMAND }))
    expect(testGuard).toHaveBeenCalledExactlyOnceWith('command')
    expect(await screen.findByText(/^says it is an attack \(score 0.93, 1.3 ms\)\.$/)).toBeInTheDocument()
    expect(screen.getByText('Ran: REGEX.')).toBeInTheDocument()
    expect(screen.getByText('PROMPT_GUARD not run: its model is not on this computer.')).toBeInTheDocument()
    expect(screen.getByText('an <b>order</b>')).toBeInTheDocument()
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(2))
  })

  it('that gives no verdict says why', async () => {
    tries(async () => ({ provider: 'command', failed: 'gave no verdict in time' }), guardOf('command'))
    await fireEvent.click(await screen.findByRole('button', { name: COMMAND }))
    expect(await screen.findByText('couldn’t judge it: gave no verdict in time.')).toBeInTheDocument()
  })

  it('that is refused says why, in the words of the page', async () => {
    tries(() => refuse(4001, 'command can\'t be asked: it has no program; set guardrail.command.argv'), guardOf('command'))
    await fireEvent.click(await screen.findByRole('button', { name: COMMAND }))
    expect(await screen.findByText('command can\'t be asked: it has no program; set “Your program”')).toBeInTheDocument()
  })

  it('is not offered for one that can’t be asked', async () => {
    tries(() => refuse(4000, ''), guardOf('command', { state: 'off', lacks: 'it has no program; set guardrail.command.argv' }))
    expect(await screen.findByText('It has no program; set “Your program”.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: COMMAND })).toBeNull()
  })

  it('waits for the one that is being tried', async () => {
    let answer: (v: GuardVerdict) => void = () => undefined
    tries(() => new Promise((done) => (answer = done)), guardOf('command'), guardOf('builtin'))
    await fireEvent.click(await screen.findByRole('button', { name: COMMAND }))
    expect(screen.getByText(/^Waiting for its verdict/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Try it: Sallyport’s own rules' })).toBeDisabled()
    answer({ provider: 'command', verdict: 'allow' })
    expect(await screen.findByText(/^found nothing/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: COMMAND })).toBeEnabled()
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

describe('keys and passwords', () => {
  const secrets = async () => ({ items: [{ name: 'openai', kept: 'keychain' as const }, { name: 'other', kept: 'file' as const }], why: 'the keychain is locked' })
  const confirmReplacing = async (name: string) => ({ nonce: `n-${name}`, armAfterMs: 0, words: `Everything that uses keychain:${name} gets the new value.` })
  const VALUE = 'sk-new-4711'

  async function ask(answers: Partial<Api>) {
    const page = open([], { secrets, confirmReplacing, ...answers })
    await fireEvent.click(await screen.findByRole('button', { name: 'Replace the value of openai' }))
    const field = await screen.findByLabelText<HTMLInputElement>('New value of openai')
    return { ...page, field, store: () => screen.getByRole('button', { name: 'Store the new value of openai' }) }
  }

  it('are listed by name, with where each is kept and whether that is all', async () => {
    open([], { secrets })
    const region = within(await screen.findByRole('region', { name: 'Keys and passwords' }))
    await waitFor(() => expect(region.getAllByRole('listitem').map((row) => row.textContent)).toEqual([expect.stringMatching(/openai.*in the keychain/), expect.stringMatching(/other.*in an encrypted file/)]))
    expect(region.getByText('There may be more than are listed: the keychain is locked.')).toBeInTheDocument()
  })

  it('are replaced by what is typed, which is shown nowhere and kept no longer', async () => {
    const replaceSecret = vi.fn(async () => undefined)
    const { container, field, store } = await ask({ replaceSecret })
    expect(field.type).toBe('password')
    expect(store()).toBeDisabled()
    expect(await screen.findByText('Everything that uses keychain:openai gets the new value.')).toBeInTheDocument()
    await fireEvent.input(field, { target: { value: VALUE } })
    await waitFor(() => expect(store()).toBeEnabled())
    await fireEvent.click(store())
    expect(await screen.findByText('The value of openai was replaced.')).toBeInTheDocument()
    expect(replaceSecret).toHaveBeenCalledExactlyOnceWith({ name: 'openai', value: VALUE, nonce: 'n-openai' })
    expect(screen.queryByLabelText('New value of openai')).toBeNull()
    expect(written(container)).not.toContain(VALUE)
    await fireEvent.click(screen.getByRole('button', { name: 'Replace the value of openai' }))
    expect(await screen.findByLabelText('New value of openai')).toHaveValue('')
  })

  it('stay as they are after a refusal, which says why and lets one try again', async () => {
    const asked = vi.fn(confirmReplacing)
    const { field, store } = await ask({ confirmReplacing: asked, replaceSecret: () => refuse(4000, 'the value is empty') })
    await fireEvent.input(field, { target: { value: ' ' } })
    await waitFor(() => expect(store()).toBeEnabled())
    await fireEvent.click(store())
    expect(await screen.findByText('the value is empty')).toBeInTheDocument()
    expect(asked).toHaveBeenCalledTimes(2)
    await waitFor(() => expect(store()).toBeEnabled())
    await fireEvent.click(screen.getByRole('button', { name: 'Keep the value of openai' }))
    expect(screen.queryByLabelText('New value of openai')).toBeNull()
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
