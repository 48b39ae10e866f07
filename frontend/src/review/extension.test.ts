import { screen } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { kindWords, standing } from '../inbox/words'
import { lookAt } from '../test/look'
import { itemOf, KINDS, reviewOf } from '../test/reviews'
import { actionsOf } from './actions'

beforeEach(() => vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a desktop extension that changed', () => {
  const review = reviewOf({ ...KINDS['extension'] })

  it('names what differs, and that nothing is blocked', async () => {
    await lookAt(review)
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(/Extension .*Files.* changed in Claude Desktop/)
    const card = screen.getByRole('region', { name: 'What changed' })
    for (const text of ['its version changed', '1.0.0', '1.1.0', 'a file changed', 'server/index.js', 'a file is gone', 'server/old.js']) expect(card).toHaveTextContent(text)
    expect(screen.getByText(/Claude starts its extensions itself/)).toBeInTheDocument()
    expect([kindWords(itemOf(review)), standing(itemOf(review))]).toEqual(['Extension changed', 'not blocked'])
  })

  it('is accepted whole, and not accepting it says how to switch it off', () => {
    const { safe, others } = actionsOf(review, undefined)
    expect([safe?.call, safe?.items]).toEqual(['keep', []])
    expect(safe?.done).toMatch(/stays in the inbox.*open Claude’s settings, then Extensions/)
    expect(others.map((o) => [o.call, o.items, o.ask])).toEqual([['allow', [], 'once']])
    expect(actionsOf(reviewOf({ ...review, severity: 'high' }), undefined).others[0]?.ask).toBe('twice')
  })
})
