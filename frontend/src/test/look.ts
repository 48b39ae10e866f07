import { render } from '@testing-library/svelte'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Api, Decision, Review } from '../lib/api'
import ReviewPage from '../review/Review.svelte'
import { decidedOf, itemOf } from './reviews'
import { apiOf } from './rooms'

/** One review on the page, over a program that keeps what it was asked. Time stands still until a test moves it. */
export async function lookAt(review: Review, answers: Partial<Api> = {}) {
  const now = { review }
  const allowed: Decision[] = []
  const kept: Decision[] = []
  let nonces = 0
  const api = apiOf({
    review: async () => ({ ...now.review, nonce: now.review.nonce && `n${++nonces}` }),
    allow: async (d) => (allowed.push(d), decidedOf(d, d.items)),
    keep: async (d) => (kept.push(d), decidedOf(d)),
    ...answers,
  })
  const ondecided = vi.fn()
  const page = render(ReviewPage, { api, code: review.code, current: itemOf(review), changed: 0, ondecided })
  await settle()
  return {
    page, allowed, kept, ondecided, now,
    /** The person has looked for long enough. */
    arm: () => vi.advanceTimersByTimeAsync(review.armAfterMs + 100),
    /** The program says that something changed, and the list has it. */
    becomes: async (next: Review) => {
      now.review = next
      await page.rerender({ current: itemOf(next), changed: 1 })
      await settle()
    },
  }
}

/** Everything that was under way is done; no time passes. */
export const settle = () => vi.advanceTimersByTimeAsync(0)

/** Each test of the file begins with the page at this address, in the time of its own. */
export function at(hash: string): void {
  beforeEach(() => {
    vi.useFakeTimers()
    location.hash = hash
  })
  afterEach(async () => {
    await hide(false)
    vi.useRealTimers()
  })
}

/** The window is hidden, or seen again. */
export async function hide(hidden: boolean): Promise<void> {
  Object.defineProperty(document, 'visibilityState', { value: hidden ? 'hidden' : 'visible', configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
  await settle()
}
