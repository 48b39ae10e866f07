import { screen } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { standing } from '../inbox/words'
import { at, lookAt } from '../test/look'
import { itemOf, KINDS, reviewOf } from '../test/reviews'
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
    expect(said('rejected')).toEqual(['You refused this call', 'For ten minutes, the same call is refused without asking you.', 'refused'])
    expect(said('withdrawn')[2]).toBe('never run')
  })
})
