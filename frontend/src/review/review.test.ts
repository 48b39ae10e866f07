import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CODES } from '../lib/api'
import { at, hide, lookAt, settle } from '../test/look'
import { changeOf, KINDS, partOf, POISONED, REWORDED, reviewOf, textChange } from '../test/reviews'
import { findingOf, refuse } from '../test/rooms'

at('#/inbox/4F2A')

const button = (name: RegExp | string) => screen.getByRole('button', { name })
const keep = () => button(/^Keep blocked/)
const allow = () => button(/^Allow this tool/)
const high = reviewOf({ severity: 'high', details: [{ ...REWORDED, findings: [findingOf({ rule: 'ansi_escape', level: 'high', title: 'A terminal escape sequence' })] }] })
const critical = reviewOf({ severity: 'critical', details: [POISONED], typedWord: 'weather' })

describe('what a tool says it returns', () => {
  const odd = (rule: string, level: 'medium' | 'low', title: string, where: string) =>
    partOf('get_forecast', { approved: '', state: 'new', findings: [findingOf({ rule, level, title, where, start: 0, end: 0, match: '' })] })

  it('is said to go unchecked where its schema does not compile, and that is no weak sign', async () => {
    const title = 'Its outputSchema has a pattern that is no regular expression, so its responses can\'t be checked against it'
    await lookAt(reviewOf({ details: [odd('output_schema', 'low', title, 'outputSchema')] }))
    const card = within(screen.getByRole('region', { name: 'Sallyport can’t check the form of its responses' }))
    expect(card.getByText(`${title}.`)).toBeInTheDocument()
    expect(card.getByText('Sallyport can’t compare its responses with what it promises. Everything else is still checked.')).toBeInTheDocument()
    expect(screen.queryByText(/weak sign/)).toBeNull()
  })

  it.each([
    ['odd_schema', 'outputSchema', /Claude could lose every tool of this server because of it\. Sallyport leaves it out of what Claude gets/],
    ['not_a_schema', 'inputSchema', /Claude can’t tell what this tool needs.*Sallyport gives Claude an empty form instead/],
  ])('is a warning where a schema is none: %s', async (rule, where, why) => {
    const title = `Its ${where} is a text, not a schema; many clients then drop every tool of this server`
    const { page } = await lookAt(reviewOf({ severity: 'high', details: [odd(rule, 'medium', title, where)] }))
    expect(page.container).toHaveTextContent(title)
    expect(page.container).toHaveTextContent(why)
  })

  it('is compared in words where it changed', async () => {
    const changed = partOf('get_forecast', {
      changes: [
        changeOf({ path: 'outputSchema.properties.total.type', op: 'changed', words: 'type of the output › `total` changed from number to text', before: '"number"', after: '"string"' }),
        changeOf({ path: 'outputSchema.properties.account', op: 'added', words: 'added, optional: the output › `account` (text)', after: '{"type":"string"}' }),
      ],
    })
    await lookAt(reviewOf({ details: [changed] }))
    const card = within(screen.getByRole('region', { name: /^Responses/ }))
    expect(card.getByText('what it says it returns')).toBeInTheDocument()
    expect(card.getAllByRole('row').map((row) => row.textContent?.trim().replace(/\s+/g, ' '))).toEqual([
      '± ChangedType of the output › total changed from number to text', '+ AddedOptional: the output › account (text)',
    ])
  })
})

describe('a review', () => {
  it('decides nothing before it was looked at for a moment', async () => {
    const { arm, kept, allowed } = await lookAt(reviewOf({ armAfterMs: 800 }))
    expect(keep()).toBeDisabled()
    expect(allow()).toBeDisabled()
    await vi.advanceTimersByTimeAsync(799)
    expect(allow()).toBeDisabled()
    await arm()
    expect(keep()).toBeEnabled()
    expect(allow()).toBeEnabled()
    expect([...kept, ...allowed]).toEqual([])
  })

  it('begins with the focus on its headline, where keys decide nothing', async () => {
    const { arm, kept, allowed } = await lookAt(reviewOf())
    await arm()
    const headline = screen.getByRole('heading', { level: 1 })
    expect(headline).toHaveFocus()
    for (const key of ['Enter', ' ', 'y', 'a', 'Enter']) await fireEvent.keyDown(headline, { key })
    await settle()
    expect([...kept, ...allowed]).toEqual([])
  })

  it('has nothing that a form would send, and nothing chosen that allows', async () => {
    const { page } = await lookAt(KINDS['new_server'] ?? reviewOf())
    expect(page.container.querySelector('form, [type=submit], [autofocus], :checked')).toBeNull()
    for (const b of screen.getAllByRole('button')) expect(b).toHaveAttribute('type', 'button')
  })

  it('keeps blocked what is on the screen: code, digest and nonce', async () => {
    const { arm, kept, ondecided } = await lookAt(reviewOf())
    await arm()
    await fireEvent.click(keep())
    await settle()
    expect(kept).toEqual([{ code: '4F2A', digest: 'b24f67aa', nonce: 'n1', items: [], all: false, typed: '', reason: '' }])
    expect(ondecided).toHaveBeenCalledOnce()
    expect(ondecided.mock.calls[0]?.[0]).toMatchObject({ did: 'kept', words: 'You kept get_forecast blocked.' })
  })

  it('allows the one tool that is looked at and nothing else', async () => {
    const other = partOf('get_alerts', { changes: [textChange('description', 'description changed', [['equal', 'Storms'], ['insert', ' and floods']])] })
    const { arm, allowed } = await lookAt(reviewOf({ details: [REWORDED, other] }))
    await fireEvent.click(button('Read tool get_alerts, changed'))
    await arm()
    await fireEvent.click(button('Allow this tool: get_alerts'))
    await settle()
    expect(allowed.map((d) => [d.items, d.all])).toEqual([[['tool:get_alerts'], false]])
  })

  it('offers all without warnings, and leaves out those with one', async () => {
    const clean = partOf('get_alerts')
    const { arm, allowed } = await lookAt({ ...high, details: [...high.details, clean, partOf('list_cities')] })
    await arm()
    await fireEvent.click(button(/^Allow the 2 without warnings/))
    await settle()
    expect(allowed.map((d) => [d.items, d.all])).toEqual([[[], false]])
  })

  it('asks twice before something with a warning of High gets through', async () => {
    const { arm, allowed } = await lookAt(high)
    await arm()
    await fireEvent.click(allow())
    expect(allowed).toEqual([])
    expect(button(/decide nothing$/)).toHaveFocus()
    expect(button('Allow this version')).toBeDisabled()
    await vi.advanceTimersByTimeAsync(900)
    await fireEvent.click(button('Allow this version'))
    await settle()
    expect(allowed.map((d) => d.items)).toEqual([['tool:get_forecast']])
  })

  it('keeps the reason that was given at the second press, and asks for none', async () => {
    const { arm, allowed } = await lookAt(high)
    await arm()
    await fireEvent.click(allow())
    const reason = screen.getByRole('textbox', { name: 'Your reason, for the record (optional)' })
    await fireEvent.input(reason, { target: { value: ' rewording only ' } })
    await fireEvent.keyDown(reason, { key: 'Enter' })
    expect(allowed).toEqual([])
    await arm()
    await vi.advanceTimersByTimeAsync(900)
    await fireEvent.click(button('Allow this version'))
    await settle()
    expect(allowed.map((d) => d.reason)).toEqual(['rewording only'])
  })

  it('goes back from the second question without having decided', async () => {
    const { arm, allowed, kept } = await lookAt(high)
    await arm()
    await fireEvent.click(allow())
    await fireEvent.click(button(/decide nothing$/))
    await settle()
    expect(allow()).toHaveFocus()
    expect([...allowed, ...kept]).toEqual([])
  })

  it('has what is Critical typed, and neither Enter nor a part of the word is enough', async () => {
    const { arm, allowed } = await lookAt(critical)
    await arm()
    await fireEvent.click(allow())
    const dialog = within(screen.getByRole('alertdialog', { name: 'Allow a dangerous change?' }))
    expect(dialog.getByRole('button', { name: /^Keep blocked/ })).toHaveFocus()
    const yes = dialog.getByRole('button', { name: 'Allow this version' })
    const input = dialog.getByRole('textbox')
    await fireEvent.input(input, { target: { value: 'weathe' } })
    await vi.advanceTimersByTimeAsync(2100)
    await fireEvent.keyDown(input, { key: 'Enter' })
    await fireEvent.click(yes)
    expect(yes).toBeDisabled()
    expect(allowed).toEqual([])
    await fireEvent.input(input, { target: { value: 'weather' } })
    await fireEvent.keyDown(input, { key: 'Enter' })
    await settle()
    expect(allowed).toEqual([])
    await fireEvent.click(yes)
    await settle()
    expect(allowed.map((d) => [d.items, d.typed])).toEqual([[['tool:get_forecast'], 'weather']])
  })

  it('lets the typed word rest for two seconds', async () => {
    const { arm } = await lookAt(critical)
    await arm()
    await fireEvent.click(allow())
    await fireEvent.input(screen.getByRole('textbox'), { target: { value: 'weather' } })
    await vi.advanceTimersByTimeAsync(1900)
    expect(button('Allow this version')).toBeDisabled()
    await vi.advanceTimersByTimeAsync(200)
    expect(button('Allow this version')).toBeEnabled()
  })

  it('begins to allow at Ctrl+Shift+A and never completes it', async () => {
    const { arm, allowed } = await lookAt(reviewOf())
    await arm()
    await fireEvent.keyDown(window, { key: 'A', ctrlKey: true, shiftKey: true })
    await settle()
    expect(allow()).toHaveFocus()
    expect(allowed).toEqual([])
  })

  it('takes no press from a key that is held down', async () => {
    const { arm } = await lookAt(reviewOf())
    await arm()
    expect(await fireEvent.keyDown(allow(), { key: 'Enter', repeat: true })).toBe(false)
    expect(await fireEvent.keyDown(allow(), { key: 'Enter' })).toBe(true)
  })

  it('says that it changed while it was read, and goes dead until the new version is shown', async () => {
    const { arm, becomes, allowed, kept } = await lookAt(reviewOf())
    await arm()
    await becomes(reviewOf({ digest: 'another' }))
    expect(screen.getByRole('alert')).toHaveTextContent('This changed again while you were reading')
    await vi.advanceTimersByTimeAsync(5000)
    expect(allow()).toBeDisabled()
    expect(keep()).toBeDisabled()
    await fireEvent.click(button('Show the new version'))
    await arm()
    expect(screen.queryByText(/changed again/)).toBeNull()
    await fireEvent.click(allow())
    await settle()
    expect(allowed.map((d) => d.digest)).toEqual(['another'])
    expect(kept).toEqual([])
  })

  it('closes the question that was open when what it was about changes', async () => {
    const { arm, becomes } = await lookAt(critical)
    await arm()
    await fireEvent.click(allow())
    await becomes({ ...critical, digest: 'another' })
    await fireEvent.click(button('Show the new version'))
    await settle()
    expect(screen.queryByRole('alertdialog')).toBeNull()
  })

  it('leads to the item that took its place when Go says that it is stale', async () => {
    let asked = 0
    const { arm } = await lookAt(reviewOf(), {
      allow: () => Promise.reject({ code: CODES.stale, message: '4F2A changed since, see 77B0', see: '77B0' }),
      review: async () => (asked++ === 0 ? reviewOf() : Promise.reject({ code: CODES.stale, message: '4F2A changed since, see 77B0', see: '77B0' })),
    })
    await arm()
    await fireEvent.click(allow())
    await settle()
    await fireEvent.click(button('Show the new version'))
    expect(location.hash).toBe('#/inbox/77B0')
  })

  it('shows any other refusal as one line, and asks for a new look before the next press', async () => {
    const { arm, ondecided } = await lookAt(reviewOf(), { allow: () => refuse(CODES.unavailable, 'the store cannot be written: no space left') })
    await arm()
    await fireEvent.click(allow())
    await settle()
    expect(screen.getByRole('alert')).toHaveTextContent('the store cannot be written: no space left')
    expect(allow()).toBeDisabled()
    expect(ondecided).not.toHaveBeenCalled()
    await arm()
    expect(allow()).toBeEnabled()
  })

  it('looks once at what the list does not have, and its buttons work', async () => {
    let asked = 0
    const shown = reviewOf()
    const { page, arm } = await lookAt(shown, { review: async () => (asked++, { ...shown, nonce: `n${asked}` }) })
    await page.rerender({ current: undefined, changed: 1 })
    await settle()
    const before = asked
    await arm()
    await settle()
    expect(asked).toBe(before)
    expect(asked).toBeLessThan(4)
    expect(allow()).toBeEnabled()
  })

  it('is dead while the window is hidden, and looked at anew when it is seen again', async () => {
    const { arm, allowed } = await lookAt(reviewOf())
    await arm()
    await hide(true)
    expect(allow()).toBeDisabled()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(allow()).toBeDisabled()
    await hide(false)
    expect(allow()).toBeDisabled()
    await arm()
    await fireEvent.click(allow())
    await settle()
    expect(allowed.map((d) => d.nonce)).toEqual(['n2'])
  })

  it('puts the guard back at one press, and leaves it off only at a second', async () => {
    const { page, arm, kept } = await lookAt(KINDS['unguarded'] ?? reviewOf())
    await arm()
    await fireEvent.click(button(/^Leave it as it is/))
    expect(kept).toEqual([])
    await vi.advanceTimersByTimeAsync(900)
    await fireEvent.click(button('Leave it as it is'))
    await settle()
    expect(kept).toHaveLength(1)
    page.unmount()
    const again = await lookAt(KINDS['unguarded'] ?? reviewOf())
    await again.arm()
    await fireEvent.click(button('Put the guard back'))
    await settle()
    expect(again.allowed).toHaveLength(1)
  })

  it('puts the guard back for one of two entries, and says that the other goes on waiting', async () => {
    const entry = (name: string) => partOf(name, { kind: 'entry', item: `entry:${name}`, state: 'unwrapped', definition: '', approved: '' })
    const { arm, allowed, becomes } = await lookAt(reviewOf({ ...KINDS['unguarded'], details: [entry('filesystem'), entry('notes')] }))
    await arm()
    const box = (name: string) => screen.getByRole('checkbox', { name: `Decide on ${name}` })
    await fireEvent.click(box('notes'))
    expect(screen.getByText('Sallyport writes only the lines of the chosen entry.')).toBeInTheDocument()
    expect(box('filesystem')).toBeDisabled() // the last one stays
    expect(button('Leave it as it is, 1 of 2: without a guard')).toBeInTheDocument()
    await fireEvent.click(button('Put the guard back, 1 of 2'))
    await settle()
    expect(allowed.map((d) => d.items)).toEqual([['entry:filesystem']])
    await becomes(reviewOf({ ...KINDS['unguarded'], digest: 'other', details: [entry('notes')] }))
    await fireEvent.click(button('Show the new version'))
    await settle()
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('of a new server allows only what has no warning, whatever else it has', async () => {
    const { arm, allowed } = await lookAt(KINDS['new_server'] ?? reviewOf())
    await arm()
    await fireEvent.click(button('Allow this server: github'))
    await settle()
    expect(allowed.map((d) => [d.items, d.all])).toEqual([[[], false]])
  })

  it('of a new server that says something suspicious of itself asks twice, and names what it lets in', async () => {
    const { arm, allowed } = await lookAt(reviewOf({
      ...KINDS['new_server'], findings: [findingOf({ rule: 'instruction_override', level: 'high', title: 'It takes back orders', where: 'initialize.serverInfo.name' })],
    }))
    await arm()
    await fireEvent.click(button('Allow this server: github'))
    await settle()
    expect(allowed).toEqual([])
    await vi.advanceTimersByTimeAsync(800)
    await fireEvent.click(button('Allow this server'))
    await settle()
    expect(allowed.map((d) => d.all)).toEqual([false])
    expect(allowed[0]?.items?.length).toBeGreaterThan(0)
  })

  it('shows the code that Claude names, to match the two', async () => {
    await lookAt(reviewOf())
    expect(screen.getByText('4F2A').parentElement).toHaveTextContent('Item 4F2A')
  })

  it('says that Claude asked for it, where it did', async () => {
    await lookAt(reviewOf({ asked: true }))
    expect(screen.getByText('Claude asked for this. Nobody from Sallyport will ever ask you to allow something.')).toBeInTheDocument()
  })

  it('still allows what was kept blocked, and no longer offers to keep it blocked', async () => {
    await lookAt(KINDS['kept'] ?? reviewOf())
    expect(screen.getByText(/You kept this blocked/)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /^Keep blocked/ })).toBeNull()
    expect(allow()).toBeInTheDocument()
  })

  it('offers nothing where nothing is left to decide', async () => {
    await lookAt(KINDS['came_and_went'] ?? reviewOf())
    expect(screen.queryByRole('button', { name: /^(Keep|Allow)/ })).toBeNull()
  })

  it('of several requests of one kind shows each of them', async () => {
    const asked = (n: number, after: string) => changeOf({ path: String(n), op: 'added', words: `asks you a question (request ${n} of 2)`, after })
    const more = changeOf({ path: 'more', op: 'added', words: 'and 3 more, refused and not shown: nothing that is decided here is about them' })
    const part = partOf('elicitation', {
      kind: 'interaction', item: 'interaction:elicitation', state: 'new', approved: '', definition: '[]', changes: [asked(1, '{"message":"Sign in"}'), asked(2, '{"message":"Pay"}'), more],
    })
    await lookAt(reviewOf({ ...KINDS['interaction'], details: [part] }))
    expect(screen.getByText(/Sign in/)).toBeInTheDocument()
    expect(screen.getByText(/"Pay"/)).toBeInTheDocument()
    expect(screen.getByText(/And 3 more, refused and not shown/)).toBeInTheDocument()
  })

  it('shows the host of a link before the request that names it', async () => {
    const host = changeOf({ path: 'host', op: 'added', words: 'asks you to open a page on this host', after: 'xn--ggle-55da.example' })
    const request = changeOf({ path: '', op: 'added', words: 'asks you a question', after: '{"mode":"url","url":"https://gооgle.example/"}' })
    const part = partOf('elicitation', { kind: 'interaction', item: 'interaction:elicitation', state: 'new', approved: '', definition: '{}', changes: [host, request] })
    await lookAt(reviewOf({ ...KINDS['interaction'], details: [part] }))
    const rows = within(screen.getByRole('table', { name: 'What it asks' })).getAllByRole('row')
    expect(rows[0]).toHaveTextContent('xn--ggle-55da.example')
    expect(rows[1]).toHaveTextContent('Asks you a question')
  })

  it.each(Object.entries(KINDS).filter(([, r]) => r.decided === ''))('of the kind %s says what happens if nothing is done, and starts with nothing pressed', async (_, review) => {
    const { page, allowed, kept } = await lookAt(review)
    expect(within(page.container.querySelector('footer') ?? page.container).getByText(/^If you do nothing,/)).toBeInTheDocument()
    expect(screen.getByRole('heading', { level: 1 })).not.toBeEmptyDOMElement()
    expect(page.container.querySelectorAll('button.primary')).toHaveLength(1)
    expect([...allowed, ...kept]).toEqual([])
  })
})

describe('what changed', () => {
  it('is shown word by word, removed before added, and said to who cannot see it', async () => {
    const { page } = await lookAt(reviewOf())
    expect(page.container.querySelector('del')).toHaveTextContent('removed: 5')
    expect(page.container.querySelector('ins')).toHaveTextContent('added: 7')
  })

  it('stands in words for its inputs, without JSON', async () => {
    await lookAt(reviewOf())
    const inputs = within(screen.getByRole('table', { name: 'Inputs' }))
    expect(inputs.getByRole('row', { name: /Added Required: units \(text, one of imperial, metric\)/ })).toBeInTheDocument()
    expect(inputs.getByRole('row', { name: /Changed Default of days changed from 5 to 500/ })).toBeInTheDocument()
    expect(screen.queryByText(/"type"/)).toBeNull()
  })

  it('marks the words that a warning is about, and leads to them', async () => {
    const { page } = await lookAt(critical)
    expect(page.container.querySelectorAll('mark[data-warning="1"]')).toHaveLength(1)
    await fireEvent.click(screen.getByRole('tab', { name: 'Warnings (1)' })) // two rules hit one passage
    await fireEvent.click(button('Show in text: warning 1'))
    await settle()
    expect(page.container.querySelector('mark[data-warning="1"]')).toHaveFocus()
  })

  it('steps through its warnings by N and P, on the texts and under Warnings', async () => {
    const two = findingOf({ rule: 'ansi_escape', level: 'high', title: 'A terminal escape sequence', where: 'description', start: 0, end: 7 })
    await lookAt(reviewOf({ details: [{ ...POISONED, findings: [...POISONED.findings, two] }] }))
    const panel = screen.getByRole('tabpanel')
    const at = () => document.activeElement?.getAttribute('data-warning') ?? document.activeElement?.id
    const seen = []
    for (const key of ['n', 'n', 'n', 'p']) {
      await fireEvent.keyDown(panel, { key })
      seen.push(at())
    }
    expect(new Set(seen).size).toBeGreaterThan(1)
    expect(seen[3]).toBe(seen[1])
    await fireEvent.click(screen.getByRole('tab', { name: /^Warnings/ }))
    await fireEvent.keyDown(screen.getByRole('tabpanel'), { key: 'n' })
    expect(at()).toBe('warning-1')
    await fireEvent.keyDown(screen.getByRole('tabpanel'), { key: 'n' })
    expect(at()).toBe('warning-2')
  })

  it('stands side by side where there is room, and only there', async () => {
    const room = vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({ matches: query.includes('min-width: 1100px'), media: query, addEventListener: () => undefined, removeEventListener: () => undefined }) as unknown as MediaQueryList)
    const { page } = await lookAt(reviewOf())
    expect(button('Inline')).toHaveAttribute('aria-pressed', 'true')
    await fireEvent.click(button('Side by side'))
    expect(screen.getByText('Allowed version')).toBeInTheDocument()
    const [before, after] = [...page.container.querySelectorAll('div.side')]
    expect([before?.querySelector('del')?.textContent, before?.querySelector('ins')]).toEqual(['removed: 5', null])
    expect([after?.querySelector('ins')?.textContent, after?.querySelector('del')]).toEqual(['added: 7', null])
    page.unmount()
    room.mockRestore()
    await lookAt(reviewOf())
    expect(screen.queryByRole('button', { name: 'Side by side' })).toBeNull()
  })

  it('has its definition whole one tab away', async () => {
    await lookAt(reviewOf())
    await fireEvent.click(screen.getByRole('tab', { name: 'Technical details' }))
    expect(screen.getByText('b24f67aa')).toBeInTheDocument()
    expect(screen.getAllByText(/"name": "get_forecast"/)).toHaveLength(2)
  })
})

describe('an item with a form in each era', () => {
  it('has both forms in the list, named by their clients, and allows the one on the screen', async () => {
    const older = { ...REWORDED, era: 'legacy' }
    const newer = { ...REWORDED, era: 'modern', approvedEra: 'legacy', digest: 'another' }
    const { arm, allowed } = await lookAt(reviewOf({ details: [older, newer] }))
    expect(screen.getByText(/As the server declares it to clients that speak MCP 2025-11-25 or earlier\./)).toBeInTheDocument()
    await fireEvent.click(button(/^Read tool get_forecast, for newer clients/))
    expect(screen.getByText(/to clients that speak MCP 2026-07-28 or later\. Compared with what you allowed for clients that speak MCP 2025-11-25 or earlier\./)).toBeInTheDocument()
    await arm()
    await fireEvent.click(allow())
    expect(allowed.map((d) => d.items)).toEqual([['tool:get_forecast\0modern']])
  })
})

describe('a warning that nobody has looked at', () => {
  let seen: (() => void)[] = []
  beforeEach(() => {
    seen = []
    vi.stubGlobal('IntersectionObserver', class {
      constructor(callback: IntersectionObserverCallback) {
        seen.push(() => callback([{ isIntersecting: true } as IntersectionObserverEntry], this as unknown as IntersectionObserver))
      }
      observe() {}
      disconnect() {}
    })
  })
  afterEach(() => void vi.unstubAllGlobals())

  it('is shown before what it warns of can be allowed', async () => {
    const { arm, allowed } = await lookAt(high)
    await arm()
    await fireEvent.click(allow())
    await settle()
    expect(screen.getByText('Look at this warning first.')).toBeInTheDocument()
    expect(screen.getByRole('region', { name: 'Warning 1' })).toHaveFocus()
    expect(screen.queryByRole('button', { name: 'Allow this version' })).toBeNull()
    await fireEvent.click(allow())
    expect(button('Allow this version')).toBeInTheDocument()
    expect(allowed).toEqual([])
  })

  it('that was on the screen is in nobody’s way', async () => {
    const { arm } = await lookAt(high)
    for (const callback of seen) callback()
    await arm()
    await fireEvent.click(allow())
    expect(button('Allow this version')).toBeInTheDocument()
  })
})

describe('a new server', () => {
  const fresh = KINDS['new_server'] ?? reviewOf()

  it('says what it can do before what it says, and whose word that is', async () => {
    const { page } = await lookAt(fresh)
    const titles = [...page.container.querySelectorAll('.panel h2')].map((h) => h.textContent)
    expect(titles.slice(0, 3)).toEqual(['In short', 'A different server had this name before', 'What it runs'])
    const short = within(screen.getByRole('region', { name: 'In short' }))
    expect(short.getAllByRole('listitem').map((li) => li.textContent)).toEqual(['Can change and delete things (2 tools)', 'Only reads (1 tool)', "Doesn't say (1 tool)", "Reaches outside: doesn't say"])
    expect(short.getByText(/Partly the server's own claims/)).toBeInTheDocument()
    expect(short.getByText(/One tool claims something that its name contradicts/)).toBeInTheDocument()
  })

  it('names its package, its version and since when its fingerprint is the same', async () => {
    await lookAt(fresh)
    const runs = within(screen.getByRole('region', { name: 'What it runs' }))
    expect(runs.getByText('@acme/github')).toBeInTheDocument()
    expect(runs.getByText('2.1.0')).toBeInTheDocument()
    expect(runs.getByText(/unchanged since/)).toHaveTextContent(/9c0f9c0f9c0f unchanged since \d/)
  })

  it('lists its tools by what they do, with the beginning of each description in the row', async () => {
    await lookAt(fresh)
    const list = within(screen.getByRole('region', { name: 'Choose what to read' }))
    const rows = (group: RegExp) => within(list.getByRole('list', { name: group })).getAllByRole('listitem').map((li) => li.textContent?.replace(/\s+/g, ' ').trim())
    expect(rows(/^Changes things/)).toEqual(['Tool create_issue Open a new issue.', 'Tool delete_file Clean up a file of the repository. … Contradiction'])
    expect(rows(/^Only reads/)).toEqual(['Tool list_issues Titles of all open issues of a repository.'])
    expect(rows(/^Doesn’t say/)[0]).toContain('run_action')
    expect(rows(/^Everything else/)).toHaveLength(2)
  })

  it('has technicalities of a definition behind Technical details', async () => {
    await lookAt(fresh)
    await fireEvent.click(button('Read tool delete_file, new, contradicts its name'))
    expect(screen.getByText('Says it only reads, but its name says it deletes.')).toBeInTheDocument()
    expect(screen.queryByText(/\$schema|execution/)).toBeNull()
    await fireEvent.click(button('Technical details (2)'))
    expect(screen.getByText('$schema')).toBeInTheDocument()
  })

  it('reads first what has a warning, and without one what changes things', async () => {
    const { page } = await lookAt(fresh)
    const pressed = () => screen.getByRole('button', { pressed: true, name: /^Read / })
    expect(pressed()).toHaveAccessibleName(/^Read tool run_action/)
    page.unmount()
    await lookAt({ ...fresh, details: fresh.details.map((p) => ({ ...p, findings: [] })) })
    expect(pressed()).toHaveAccessibleName(/^Read tool create_issue/)
  })
})

it('a remote server that is reached in another way has no program that was started', async () => {
  const { page, arm } = await lookAt(KINDS['launch_remote'] ?? reviewOf())
  expect(screen.getByText(/Its name leads to another kind of address.*Nothing is sent to it\./)).toBeInTheDocument()
  await arm()
  await fireEvent.click(button(/^Allow this way: linear/))
  expect(screen.getByText(/linear is reached as shown here/)).toBeInTheDocument()
  expect(page.container).not.toHaveTextContent(/program|permissions|started|What it runs/)
})

it('a change of technicalities alone is shown at once', async () => {
  const part = partOf('get_forecast', { changes: [changeOf({ path: 'execution', words: '`execution` changed', before: '{}', after: '{"taskSupport":"required"}' })] })
  await lookAt(reviewOf({ details: [part] }))
  expect(screen.getByRole('table', { name: 'Technical details' })).toBeInTheDocument()
})
