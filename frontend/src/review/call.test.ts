import { render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import AllowedCalls from '../held/AllowedCalls.svelte'
import { standing } from '../inbox/words'
import { at, lookAt } from '../test/look'
import { allowedCallOf, itemOf, KINDS, reviewOf } from '../test/reviews'
import { apiOf } from '../test/rooms'
import { argumentAt, recordsOf } from './flow'
import { decidedWords, verdict } from './words'

at('#/inbox/CA2L')

const call = (with_: Partial<NonNullable<ReturnType<typeof reviewOf>['asks']>> = {}) => {
  const of = KINDS['call']?.asks
  if (!of) throw new Error('no call')
  return { ...of, ...with_ }
}
const button = (name: RegExp) => screen.getByRole('button', { name })

describe('a call that a person decides on', () => {
  it('shows whose it is and every argument, and nothing of it acts', async () => {
    const { page } = await lookAt(KINDS['call'] ?? reviewOf())
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Claude wants to call “write_file” from files')
    expect(page.container).toHaveTextContent('You decide on each call of this tool. It hasn’t been run.')
    expect(page.container).toHaveTextContent('asked by claude-desktop')
    expect(page.container).toHaveTextContent('/home/ada/letter.txt')
    expect(page.container).toHaveTextContent('Dear Grace,')
    expect(page.container).toHaveTextContent('looks like an access key or a password, so Sallyport didn’t store it')
    expect(page.container.textContent).not.toContain('\u001b')
  })

  it('is allowed once with one click, with the digest that was shown', async () => {
    const { arm, allowed, kept } = await lookAt(KINDS['call'] ?? reviewOf())
    await arm()
    button(/^Allow once/).click()
    await Promise.resolve()
    expect(allowed).toEqual([expect.objectContaining({ code: 'CA2L', digest: 'b24f67aa', nonce: 'n1' })])
    expect(kept).toEqual([])
  })

  it('is refused with one click', async () => {
    const { arm, allowed, kept } = await lookAt(KINDS['call'] ?? reviewOf())
    await arm()
    button(/^Refuse/).click()
    await Promise.resolve()
    expect(kept).toEqual([expect.objectContaining({ code: 'CA2L', digest: 'b24f67aa' })])
    expect(allowed).toEqual([])
  })

  it('is always allowed only after a second click', async () => {
    const { arm, allowed } = await lookAt(KINDS['call'] ?? reviewOf())
    await arm()
    button(/^More actions/).click()
    await tick()
    button(/^Always allow this call/).click()
    await tick()
    expect(allowed).toEqual([])
    expect(screen.getByText(/passes as often as Claude likes, without asking you/)).toBeInTheDocument()
    await vi.advanceTimersByTimeAsync(900)
    button(/^Always allow$/).click()
    await tick()
    expect(allowed).toEqual([expect.objectContaining({ code: 'CA2L', digest: 'b24f67aa', always: true })])
  })

  it('lists what is always allowed, inert, and takes it back', async () => {
    let all = [allowedCallOf({ value: '{"text":"\u001b[31m<img src=x onerror=alert(1)>"}' }), allowedCallOf({ id: 'a2', server: 'mail', uses: 1 })]
    const forgetCall = vi.fn(async (id: string) => {
      all = all.filter((a) => a.id !== id)
      return allowedCallOf({ id })
    })
    const page = render(AllowedCalls, { api: apiOf({ allowedCalls: async () => all, forgetCall }), changed: 0, server: 'files' })
    await vi.waitFor(() => expect(page.container).toHaveTextContent('made 3 times'))
    expect(page.container.querySelector('img')).toBeNull()
    expect(page.container.textContent).not.toContain('\u001b')
    expect(page.container).not.toHaveTextContent('mail')
    button(/^End now: a call of .*write_file.* of files/).click()
    await vi.waitFor(() => expect(forgetCall).toHaveBeenCalledWith('a1'))
    expect(await screen.findByText(/Sallyport asks you about it again/)).toBeInTheDocument()
  })

  it('offers nothing once its arguments are gone, and can be allowed as long as they are there', async () => {
    await lookAt(reviewOf({ ...KINDS['call'], decided: 'withdrawn', asks: call({ kept: false, arguments: [] }) }))
    expect(screen.queryByRole('button', { name: /^(Allow|Refuse)/ })).toBeNull()
    expect(screen.getByText('Its arguments are no longer kept.')).toBeInTheDocument()
  })

  it('says what became of it', () => {
    const said = (decided: ReturnType<typeof reviewOf>['decided'], used = false) => {
      const review = reviewOf({ ...KINDS['call'], decided, asks: call({ used }) })
      return [decidedWords(review), verdict(review), standing(itemOf(review))]
    }
    expect(said('')).toEqual(['', 'You decide on each call of this tool. It hasn’t been run.', 'not run'])
    expect(said('approved')).toEqual(['You allowed this call once', 'Claude gets it once, when it makes the same call again within ten minutes.', 'allowed once'])
    expect(said('approved', true)[1]).toBe('You allowed it, and it was made once.')
    const always = reviewOf({ ...KINDS['call'], decided: 'approved', asks: call({ always: true }) })
    expect([decidedWords(always), verdict(always)]).toEqual(['You allowed this call for good', 'This call passes without asking you, until you take that back on the server’s page.'])
    expect(verdict(reviewOf({ ...always, asks: call({ always: true, takenBack: true }) }))).toBe('You took that back. The next call like it needs your review again.')
    expect(said('rejected')).toEqual(['You refused this call', 'For ten minutes, the same call is refused without asking you.', 'refused'])
    expect(said('withdrawn')[2]).toBe('never run')
  })

  it('shows both ends of a value that came out of a response, and nothing else of that response', async () => {
    const { page } = await lookAt(KINDS['flow'] ?? reviewOf())
    expect(page.container).toHaveTextContent('Something in it came out of a response')
    expect(screen.getByRole('list', { name: 'Where it came from' })).toHaveTextContent(/notes · read_note.*in running text/)
    expect(screen.getByRole('link', { name: 'See responses of read_note in Activity' })).toHaveAttribute('href', '#/activity?server=notes&text=read_note')
    expect(screen.getByRole('group', { name: 'Where it would go' })).toHaveTextContent(/mail · send_email.*recipients/)
    expect(page.container).toHaveTextContent('This mail address came out of a response, and you have never used it.')
    expect(page.container).toHaveTextContent('The numbers of this quarter')
  })

  it('marks the argument that holds the value', async () => {
    await lookAt(KINDS['flow'] ?? reviewOf())
    const marks = screen.getAllByText('holds the value that you are asked about')
    expect(marks).toHaveLength(1)
    expect(marks[0]?.closest('div')).toHaveTextContent('eve@evil.example')
    expect([argumentAt('/recipients/0'), argumentAt('/a~1b~0c'), argumentAt('')]).toEqual(['recipients', 'a/b~c', ''])
  })

  it('leads to the records of what a value came from', () => {
    const from = { server: 'notes', time: '', as: 'prose' } as const
    expect(recordsOf({ ...from, tool: 'read_note', request: '7' })).toBe('#/activity?server=notes&text=read_note')
    expect(recordsOf({ ...from, tool: 'resource:file:///a.txt', request: '7' })).toBe('#/activity?server=notes&text=file%3A%2F%2F%2Fa.txt')
    expect(recordsOf({ ...from, tool: 'sampling/createMessage' })).toBe('#/activity?server=notes')
  })

  it('can always be allowed to that recipient, after a second click', async () => {
    const { arm, allowed } = await lookAt(KINDS['flow'] ?? reviewOf())
    await arm()
    button(/^More actions/).click()
    await tick()
    button(/^Always to this recipient/).click()
    await tick()
    expect(allowed).toEqual([])
    expect(screen.getByText(/Other values still need your review/)).toBeInTheDocument()
    await vi.advanceTimersByTimeAsync(900)
    button(/^Always allow$/).click()
    await tick()
    expect(allowed).toEqual([expect.objectContaining({ code: 'FL0W', always: true })])
  })

  it('says that only this call passes where no value can be allowed', async () => {
    const { arm } = await lookAt(reviewOf({
      ...KINDS['flow'],
      asks: call({ tool: 'set_password', flow: [{ rule: 4, at: '', value: '', kind: '', overflowed: false, from: [] }], allowable: [] }),
    }))
    expect(screen.getByText('It changes access. It hasn’t been run.')).toBeInTheDocument()
    expect(screen.queryByText(/No response is known/)).toBeNull()
    await arm()
    button(/^More actions/).click()
    await tick()
    button(/^Always allow this call/).click()
    await tick()
    expect(screen.getByText(/set_password with exactly these arguments passes/)).toBeInTheDocument()
  })

  it('calls no name that is deleted a recipient', async () => {
    const { arm } = await lookAt(reviewOf({
      ...KINDS['flow'],
      asks: call({ tool: 'delete_room', flow: [{ rule: 2, at: '/room', value: 'blue_room7', kind: 'text', overflowed: false, from: [] }], allowable: ['blue_room7'] }),
    }))
    await arm()
    button(/^More actions/).click()
    await tick()
    expect(button(/^Always with this value: delete_room/)).toBeInTheDocument()
  })
})
