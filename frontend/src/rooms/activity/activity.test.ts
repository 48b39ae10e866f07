import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { ActivityRow, Api } from '../../lib/api'
import { readRoute } from '../../lib/route'
import { apiOf, overviewOf, refuse, rowOf, serverOf, timeline, written } from '../../test/rooms'
import Activity from './Activity.svelte'
import { Feed, MOST, PAGE } from './feed.svelte'
import { filterWords, queryOf, readFilter } from './filters'
import { daysOf, groupsOf } from './groups'
import { plainBlock } from './plain'
import { durationWords, sentence, toldOf } from './words'

const at = (hour: number, minute: number, day = 21) => new Date(2026, 10, day, hour, minute).toISOString()
const NONE = readFilter(new URLSearchParams())

describe('the words of a row', () => {
  for (const [kind, status, word, tone] of [
    ['tool_call', 'ok', 'Ran', 'plain'],
    ['tool_call', 'error', 'Ran, failed', 'plain'],
    ['tool_call', 'blocked', 'Blocked', 'blocked'],
    ['tool_call', 'held', 'Held', 'held'],
    ['resource_read', 'ok', 'Read', 'plain'],
    ['resource_read', 'held', 'Read held', 'held'],
    ['prompt_get', 'blocked', 'Prompt blocked', 'blocked'],
    ['sampling', 'ok', 'Asked Claude', 'plain'],
    ['elicitation', 'error', 'Asked you, no reply', 'plain'],
    ['policy_decision', 'warned', 'Warning', 'problem'],
    ['drift', 'blocked', 'Changed', 'changed'],
    ['approval', 'ok', 'Allowed by you', 'mine'],
    ['rejection', 'ok', 'Blocked by you', 'mine'],
    ['guard_problem', 'blocked', 'Problem', 'problem'],
    ['something_new', 'ok', 'Noted', 'plain'],
  ] as const) {
    it(`${kind} that is ${status} reads ${word}`, () => {
      expect(toldOf({ kind, status, mode: '', summary: '' })).toEqual({ word, tone })
    })
  }

  it('what was allowed unread is not said to be allowed by a person', () => {
    expect(toldOf({ kind: 'approval', status: 'ok', mode: 'trust-clean', summary: '' }).word).toBe('Allowed unread')
  })

  it('says what a first look and a change of a file are', () => {
    expect(toldOf({ kind: 'drift', status: 'blocked', mode: '', summary: 'a new server: 3 items to review' }).word).toBe('New server')
    expect(toldOf({ kind: 'config_change', status: 'ok', mode: '', summary: "3 entries of a client's file guarded" }).word).toBe('File changed')
  })

  it('shows nothing in a sentence that cannot be seen', () => {
    expect(sentence('refused: \u202Eodd\u0007')).toBe('Refused:  odd ')
  })

  it('says how long in words that fit the size', () => {
    expect([0, 300, 42_000, 1_204_000, 61_000_000].map(durationWords)).toEqual(['', '<1 ms', '42 ms', '1.2 s', '1 min 1 s'])
  })
})

describe('groups', () => {
  it('folds calls of one server in the same ten minutes, and nothing that was blocked', () => {
    const rows = [
      rowOf(5, { time: at(10, 9) }),
      rowOf(4, { time: at(10, 8), status: 'blocked' }),
      rowOf(3, { time: at(10, 7), server: 'notes' }),
      rowOf(2, { time: at(10, 2) }),
      rowOf(1, { time: at(9, 59) }),
    ]
    expect(groupsOf(rows).map((g) => g.rows.map((r) => r.id))).toEqual([['r000005', 'r000002'], ['r000004'], ['r000003'], ['r000001']])
  })

  it('keeps the name of a group when rows come in above and below it', () => {
    const middle = [rowOf(5, { time: at(10, 5) }), rowOf(4, { time: at(10, 4) })]
    const more = [rowOf(6, { time: at(10, 6) }), ...middle, rowOf(3, { time: at(10, 1) })]
    expect(groupsOf(more)[0]?.key).toBe(groupsOf(middle)[0]?.key)
  })

  it('begins a day with each day', () => {
    const days = daysOf(groupsOf([rowOf(2, { time: at(0, 5) }), rowOf(1, { time: at(23, 55, 20) })]))
    expect(days.map((d) => d.groups.length)).toEqual([1, 1])
  })
})

describe('the filter', () => {
  it('stands in the address and comes back from it', () => {
    const filter = { chip: 'mine', server: 'weather & co', span: 'week', text: 'a=b' } as const
    expect(readFilter(new URLSearchParams(filterWords(filter)))).toEqual(filter)
  })

  it('asks for several kinds at once, since local midnight', () => {
    const query = queryOf({ ...NONE, chip: 'mine', span: 'today' }, new Date(2026, 10, 21, 15), 10)
    expect(query.kind).toBe('approval,rejection,release')
    expect(query.since).toBe(at(0, 0))
  })

  it('takes nothing from an address that it does not know', () => {
    expect(readFilter(new URLSearchParams('show=everything&since=ever'))).toEqual(NONE)
  })
})

describe('the feed', () => {
  const feedOver = (rows: () => ActivityRow[]) => {
    const line = timeline(rows)
    return { feed: new Feed(apiOf({ activity: line.activity }), NONE), asked: line.asked }
  }
  const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => rowOf(from - i))

  it('keeps newer rows aside until they are shown', async () => {
    let rows = down(3, 1)
    const { feed } = feedOver(() => rows)
    await feed.ask(NONE)
    rows = down(5, 1)
    await feed.look(false)
    expect([feed.rows.length, feed.fresh.length]).toEqual([3, 2])
    await feed.show()
    expect(feed.rows.map((r) => r.id)).toEqual(down(5, 1).map((r) => r.id))
  })

  it('reaches older rows page by page and says when there are none', async () => {
    const rows = down(PAGE + 50, 1)
    const { feed } = feedOver(() => rows)
    await feed.ask(NONE)
    expect([feed.rows.length, feed.older]).toEqual([PAGE, true])
    await feed.reach()
    expect([feed.rows.length, feed.older]).toEqual([PAGE + 50, false])
  })

  it('holds no more than its bound', async () => {
    const rows = down(MOST + 500, 1)
    const { feed } = feedOver(() => rows)
    await feed.ask(NONE)
    for (let i = 0; i < 20; i++) await feed.reach()
    expect([feed.rows.length, feed.full, feed.older]).toEqual([MOST, true, true])
  })

  it('begins anew when more came than it keeps aside', async () => {
    let rows = down(3, 1)
    const { feed } = feedOver(() => rows)
    await feed.ask(NONE)
    rows = down(1000, 1)
    await feed.look(false)
    expect([feed.rows.length, feed.flooded]).toEqual([3, true])
    await feed.show()
    expect(feed.rows[0]?.id).toBe('r001000')
  })

  it('begins anew when the record it began with is gone', async () => {
    let rows = down(3, 1)
    const { feed } = feedOver(() => rows)
    await feed.ask(NONE)
    rows = [rowOf(9)]
    await feed.look(false)
    expect(feed.rows.map((r) => r.id)).toEqual(['r000009'])
  })

  it('drops the answer to a question that is not the last one any more', async () => {
    const answers: ((rows: ActivityRow[]) => void)[] = []
    const feed = new Feed(apiOf({ activity: () => new Promise((done) => answers.push((items) => done({ items }))) }), NONE)
    const first = feed.ask(NONE)
    const second = feed.ask({ ...NONE, text: 'later' })
    answers[1]?.([rowOf(2)])
    answers[0]?.([rowOf(1)])
    await Promise.all([first, second])
    expect(feed.rows.map((r) => r.id)).toEqual(['r000002'])
  })

  it('keeps what it showed when the program does not answer, and says so', async () => {
    let fails = false
    const line = timeline(() => down(2, 1))
    const feed = new Feed(apiOf({ activity: (q) => (fails ? refuse(4050, 'no hub') : line.activity(q)) }), NONE)
    await feed.ask(NONE)
    fails = true
    await feed.look(true)
    expect([feed.rows.length, feed.error]).toEqual([2, 'no hub'])
  })
})

describe('the room', () => {
  function open(rows: () => ActivityRow[], hash = '#/activity', more: Partial<Api> = {}) {
    const line = timeline(rows)
    const api = apiOf({ activity: line.activity, servers: async () => [], record: async (id) => ({ ...rowOf(0), id, detail: '{"check": "gate"}', session: 's1', request: '', prev: '', hash: '' }), ...more })
    const props = { api, route: readRoute(hash), overview: overviewOf(), changed: 0 }
    return { ...render(Activity, props), props, asked: line.asked }
  }

  it('shows what a row says without asking for more', async () => {
    open(() => [rowOf(1, { status: 'blocked', code: '4F2A', summary: 'it changed since you allowed it' })])
    expect(await screen.findByRole('button', { name: /Blocked: It changed since you allowed it, item 4F2A/ })).toBeInTheDocument()
  })

  it('shows the reason that was given with a decision', async () => {
    const row = rowOf(1, { kind: 'approval', summary: 'the tool "x" was allowed by a person' })
    open(() => [row], '#/activity', { record: async (id) => ({ ...row, id, detail: '{"reason": "rewording only"}', session: '', request: '', prev: '', hash: '' }) })
    await fireEvent.click(await screen.findByRole('button', { name: /Allowed by you/ }))
    expect((await screen.findByText('Your reason')).nextElementSibling).toHaveTextContent('rewording only')
  })

  it('shows what a call said where that is kept, and apart from the rest', async () => {
    const row = rowOf(1, { server: 'mail' })
    const detail = JSON.stringify({ check: 'inspect', payload: { arguments: '{"arguments":{"to":"<b>ada</b>"}}', response: '', left_out: { response: 300000 } } })
    open(() => [row], '#/activity', { record: async (id) => ({ ...row, id, detail, session: '', request: '', prev: '', hash: '' }) })
    await fireEvent.click(await screen.findByRole('button', { name: 'Open 10:00 Ran' }))
    expect((await screen.findByRole('heading', { name: 'What was asked for' })).nextElementSibling).toHaveTextContent('{"arguments":{"to":"<b>ada</b>"}}')
    expect(screen.getByRole('heading', { name: 'What came back' }).nextElementSibling).toHaveTextContent(/^Too long to keep: at least /)
    await fireEvent.click(screen.getByRole('button', { name: 'Technical details' }))
    expect(document.body).toHaveTextContent('"check": "inspect"')
    expect(document.body).not.toHaveTextContent('"payload"')
  })

  it('moves in the list by the arrow keys', async () => {
    open(() => [rowOf(3, { status: 'blocked' }), rowOf(2, { status: 'held' }), rowOf(1, { status: 'error' })])
    const [first, second, third] = await screen.findAllByRole('button', { name: /^Open / })
    first?.focus()
    await fireEvent.keyDown(first as HTMLElement, { key: 'ArrowDown' })
    expect(second).toHaveFocus()
    await fireEvent.keyDown(second as HTMLElement, { key: 'End' })
    expect(third).toHaveFocus()
    await fireEvent.keyDown(third as HTMLElement, { key: 'Home' })
    expect(first).toHaveFocus()
  })

  it('keeps new rows behind a button while the list is scrolled', async () => {
    let rows = [rowOf(1)]
    const { rerender, props, container } = open(() => rows)
    await screen.findByRole('button', { name: /Ran/ })
    const list = container.querySelector('.list') as HTMLElement
    list.scrollTop = 200
    rows = [rowOf(2, { server: 'notes', tool: 'read_note' }), ...rows]
    await rerender({ ...props, changed: 1 })
    const show = await screen.findByRole('button', { name: 'Show 1 new in Activity' })
    expect(screen.queryByText('read_note')).not.toBeInTheDocument()
    await fireEvent.click(show)
    expect(await screen.findByText('read_note')).toBeInTheDocument()
  })

  it('asks for nothing while it is paused', async () => {
    const { rerender, props, asked } = open(() => [rowOf(1)])
    await fireEvent.click(await screen.findByRole('button', { name: 'Pause live updates' }))
    const before = asked.length
    await rerender({ ...props, changed: 1 })
    await Promise.resolve()
    expect(asked.length).toBe(before)
  })

  it('opens a record beside the list, and Escape gives the focus back', async () => {
    open(() => [rowOf(1, { status: 'blocked', code: '4F2A', summary: 'refused' })])
    const row = await screen.findByRole('button', { name: /^Open .*Blocked/ })
    await fireEvent.click(row)
    expect(await screen.findByRole('link', { name: 'Open item 4F2A' })).toHaveAttribute('href', '#/inbox/4F2A')
    expect(screen.getByRole('heading', { name: 'Blocked' })).toHaveFocus()
    await fireEvent.keyDown(window, { key: 'Escape' })
    expect(screen.queryByRole('link', { name: 'Open item 4F2A' })).not.toBeInTheDocument()
    expect(row).toHaveFocus()
  })

  it('puts a filter into the address, which is where it reads it from', async () => {
    open(() => [rowOf(1)])
    await fireEvent.click(await screen.findByRole('button', { name: 'My decisions' }))
    expect(location.hash).toBe('#/activity?show=mine')
  })

  it('asks for one server by its whole name', async () => {
    open(() => [rowOf(1)], '#/activity', { servers: async () => [serverOf(), serverOf({ server: 'a & b', identity: 'x' })] })
    const choice = await screen.findByRole('option', { name: 'a & b' })
    await fireEvent.change(choice.closest('select') as HTMLSelectElement, { target: { value: '0' } })
    expect(readFilter(readRoute(location.hash).query).server).toBe('a & b')
  })

  it('says that filters leave nothing, and that there is nothing at all', async () => {
    const { unmount } = open(() => [rowOf(1)], '#/activity?show=held')
    expect(await screen.findByText('Nothing matches these filters.')).toBeInTheDocument()
    unmount()
    open(() => [])
    expect(await screen.findByText('No activity yet. Ask Claude to use a tool.')).toBeInTheDocument()
  })

  it('says what failed, what follows, and tries again', async () => {
    const activity = vi.fn(() => refuse(4050, 'the store cannot be read'))
    open(() => [], '#/activity', { activity })
    expect(await screen.findByText(/everything blocked stays blocked/)).toBeInTheDocument()
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(activity).toHaveBeenCalledTimes(2)
  })

  it('unfolds a group and stays unfolded when more calls come', async () => {
    let rows = [rowOf(2), rowOf(1)]
    const { rerender, props } = open(() => rows)
    await fireEvent.click(await screen.findByRole('button', { name: /^Unfold .* 2 calls/ }))
    rows = [rowOf(3), ...rows]
    await rerender({ ...props, changed: 1 })
    await waitFor(() => expect(screen.getByRole('button', { name: /^Fold .* 3 calls/ })).toHaveAttribute('aria-expanded', 'true'))
  })

  it('keeps a hostile name out of labels, ids and addresses', async () => {
    const server = 'Safe update ✅ \u202E'
    const { container } = open(() => [rowOf(1, { server, tool: '<img src=x>', status: 'blocked' })], '#/activity', { servers: async () => [serverOf({ server })] })
    expect(await screen.findByRole('option', { name: 'Server 1with an odd name' })).toBeInTheDocument()
    const row = await screen.findByRole('button', { name: /^Open .*Blocked/ })
    expect(screen.getByText(/<img src=x>/).closest('bdi')).not.toBeNull()
    expect(row).not.toHaveTextContent(/Safe update|img/)
    expect(container.querySelector('img')).toBeNull()
    expect(written(container)).not.toContain('\u202E')
    expect(row.getAttribute('aria-label')).not.toMatch(/Safe update|img/)
  })
})

it('copies a record as text in which nothing is hidden', () => {
  const text = plainBlock(rowOf(1, { server: 'a\u202Eb', summary: 'refused' }), null)
  expect(text).toContain('Server   a\\u{202e}b')
  expect(text).toContain('What     Ran: Refused')
})
