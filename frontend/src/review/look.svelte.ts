import { movedOn } from '../held/many'
import { discardedAll, waits } from '../held/words'
import { CODES, refusalOf, type Api, type Decided, type Item, type Review } from '../lib/api'
import { Arm } from '../lib/arm.svelte'
import { inTurn } from '../lib/turns'
import type { Action } from './action'
import type { Outcome } from './outcome'

/**
 * One look at one item: its content, whether that is still current, and whether buttons work yet. Buttons work only while the window is
 * visible, a moment after their content was shown, and never for content that has changed since.
 */
export class Look {
  review = $state.raw<Review | null>(null)
  /** Why there is nothing to show, or why a decision failed: one line. */
  failed = $state('')
  /** The content is out of date; see is where the current one is. */
  changed = $state.raw<{ see: string } | null>(null)
  busy = $state(false)
  /** The page of a sign-in, for the person to open: no browser could be started. */
  address = $state('')
  /** Grows when the content changes. */
  shown = $state(0)

  #api: Api
  #code: string
  #arm = new Arm()
  #asked = 0

  constructor(api: Api, code: string) {
    this.#api = api
    this.#code = code
  }

  /** Whether a decision is possible now. */
  get ready(): boolean {
    return this.#arm.on && !this.busy && this.changed === null
  }

  /** Shows the current item. */
  async open(): Promise<void> {
    const ask = ++this.#asked
    this.#arm.off()
    try {
      const review = await this.#api.review(this.#code)
      if (ask !== this.#asked) return
      this.changed = null
      this.failed = ''
      this.#show(review)
    } catch (thrown) {
      if (ask === this.#asked) this.#refused(thrown)
    }
  }

  /** Compares with the list. If the item changed, it is loaded again and the person is told. */
  compare(current: Item | undefined): void {
    const review = this.review
    if (!review || this.busy || this.changed) return
    if (review.held) {
      // It was decided or delivered: show its new state.
      if (movedOn(review, current)) void this.#follow()
      return
    }
    if (current && current.digest === review.digest && current.decided === review.decided) return
    void this.#again()
  }

  /** The window was hidden: Go forgets the look. */
  hidden(): void {
    this.#arm.off()
  }

  /** The window is visible again: take a new look at the same item. */
  seen(): void {
    if (this.review && !this.changed) void this.#again()
  }

  close(): void {
    this.#asked++
    this.#arm.off()
  }

  /** Finds out what a sign-in would be at one of several places, and shows it. */
  async choose(issuer: string): Promise<void> {
    const review = this.review
    if (!review?.signIn || this.busy) return
    this.busy = true
    this.failed = ''
    this.#arm.off()
    try {
      const plan = await this.#api.signInPlan(review.code, issuer)
      if (this.review === review) this.review = { ...review, signIn: { ...review.signIn, plan } }
    } catch (thrown) {
      this.#refused(thrown)
    } finally {
      this.busy = false
      this.#arm.after(review.armAfterMs)
    }
  }

  /** Looks whether a sign-in has become possible. If it has, the program shows another item in place of this one. */
  async lookAgain(): Promise<void> {
    const before = this.review
    if (!before) return
    this.failed = ''
    try {
      await this.#api.signInPlan(before.code, '')
    } catch (thrown) {
      this.#refused(thrown)
      return
    }
    await this.#again()
  }

  /** Begins the sign-in on the screen and opens its page. It has not ended when this returns. */
  async #signIn(review: Review): Promise<null> {
    const plan = review.signIn?.plan
    if (!plan) return null
    const one = plan.nonce !== '' // of several
    this.busy = true
    this.failed = ''
    let failed = ''
    try {
      const begun = await this.#api.beginSignIn({ code: review.code, issuer: one ? plan.issuer : '', digest: one ? plan.digest : review.digest, nonce: one ? plan.nonce : review.nonce })
      if (begun.id) void this.openPage(begun.id)
    } catch (thrown) {
      failed = refusalOf(thrown).message
    } finally {
      this.busy = false
    }
    await this.#again()
    if (!this.changed) this.failed = failed
    return null
  }

  /** Opens the page of a sign-in in the browser. */
  async openPage(id: string): Promise<void> {
    this.address = ''
    try {
      this.address = await this.#api.openSignIn(id)
    } catch (thrown) {
      this.failed = refusalOf(thrown).message
    }
  }

  /** Decides. Returns null on failure; failed says why. */
  async decide(action: Action, typed: string, reason = ''): Promise<Outcome | null> {
    const review = this.review
    if (!review || !this.ready) return null
    if (action.call === 'signIn') return this.#signIn(review)
    this.busy = true
    this.failed = ''
    try {
      const done = await this.#settle(review, { ...action, call: action.call }, typed, reason.trim())
      this.#arm.off()
      if (done.next === review.code) void this.#again() // none of it was decided
      return {
        code: review.code,
        identity: review.identity,
        did: action.call === 'keep' || action.call === 'discard' || action.call === 'discardAll' ? 'kept' : 'allowed',
        items: done.approved.filter((item) => item !== 'launch'),
        words: action.call === 'allow' && done.approved.length === 0 ? 'Nothing was allowed: everything left has a warning.' : (done.words || action.done) + restartWords(done),
        next: done.next ?? '',
        newServer: review.kind === 'new_server',
        undo: action.undo && (action.call === 'keep' || done.approved.length > 0),
      }
    } catch (thrown) {
      const refusal = refusalOf(thrown)
      await this.#again()
      if (!this.changed) this.failed = refusal.message
      return null
    } finally {
      this.busy = false
    }
  }

  async #settle(review: Review, action: Action & { call: Exclude<Action['call'], 'signIn'> }, typed: string, reason: string): Promise<Decided & { words?: string }> {
    const { code, digest, nonce, server } = review
    const done = { code, server, approved: [], rejected: [], left: [], next: code }
    switch (action.call) {
      case 'allow':
        return this.#api.allow({ code, digest, nonce, items: action.items, all: action.all, always: action.always ?? false, typed, reason })
      case 'keep':
        return this.#api.keep({ code, digest, nonce, items: action.items, all: action.all, typed, reason })
      case 'release':
      case 'without':
        await this.#api.release({ code, digest, nonce, without_marked: action.call === 'without', typed, reason })
        return done
      case 'discard':
        await this.#api.discard({ code, digest, nonce, typed, reason })
        return { ...done, next: '' }
      case 'discardAll': {
        const { digest: ofAll = '', nonce: once = '' } = review.held?.all ?? {}
        const ended = await this.#api.discardAll({ code, digest: ofAll, nonce: once, reason })
        return { ...done, next: '', words: discardedAll(ended) }
      }
      case 'except':
        await this.#api.except({ code, digest, nonce, rules: [], for: action.length ?? 'hour' })
        return done
      case 'block':
        await this.#api.block(review.identity, action.items)
        return done
    }
  }

  /** There is nothing left to decide: show its new state. */
  #follow = inTurn(() => this.#again())

  async #again(): Promise<void> {
    const before = this.review
    const ask = ++this.#asked
    this.#arm.off()
    try {
      const review = await this.#api.review(this.#code)
      if (ask !== this.#asked) return
      if (before && review.digest === before.digest && review.decided === before.decided && review.stale === before.stale) this.#show(review)
      else if (review.decided !== '' && before?.decided === '') this.#show(review)
      else if (before?.held && review.held && (!waits(before.held) || !waits(review.held))) this.#show(review)
      else this.changed = { see: review.next || review.code }
    } catch (thrown) {
      if (ask === this.#asked) this.#refused(thrown)
    }
  }

  #refused(thrown: unknown): void {
    const refusal = refusalOf(thrown)
    if (refusal.code === CODES.stale) this.changed = { see: refusal.see || '' }
    else this.failed = refusal.message
  }

  #show(review: Review): void {
    const was = this.review
    if (was?.digest !== review.digest || (was.decided !== review.decided && !review.held) || was.held?.state !== review.held?.state) this.shown++
    this.review = review
    if (!review.stale) this.#arm.after(review.armAfterMs)
  }
}

/** What brings running clients what they missed when they started. */
function restartWords(done: Decided): string {
  const [first, ...more] = done.restart ?? []
  if (!first) return ''
  return ` ${[first.charAt(0).toUpperCase() + first.slice(1), ...more].join(' and ')} for what was left out when it started.`
}
