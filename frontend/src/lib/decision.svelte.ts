import { getContext, setContext } from 'svelte'
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { Outcome } from '../review/outcome'
import { refusalOf, type Api } from './api'
import { go } from './route'

/** How long it can be undone, in its item and with Ctrl+Z. After that, on the server's page. */
const KEPT = 10 * 60_000
/** How long the receipt is shown. */
const SHOWN = 10_000

/** The last decision, whichever room is open. */
export class LastDecision {
  /** The last decision, while it can be undone. */
  outcome = $state.raw<Outcome | null>(null)
  /** Its receipt is on the screen. */
  shown = $state(false)
  /** Why it could not be undone. */
  failed = $state('')

  #api: Api
  #recent = new SvelteMap<string, Outcome>()
  /** For a decision about several servers: the items undone before one failed. */
  #undone = new SvelteSet<string>()
  #hides: ReturnType<typeof setTimeout> | undefined
  #next = ''

  constructor(api: Api) {
    this.#api = api
  }

  say(outcome: Outcome): void {
    this.failed = ''
    this.outcome = outcome
    this.shown = true
    this.#next = ''
    for (const one of [outcome, ...(outcome.also ?? [])]) {
      this.#recent.set(one.code, outcome)
      this.#undone.delete(one.code)
    }
    setTimeout(() => this.#forget(outcome), KEPT)
    this.#hideLater()
  }

  /** The item that the page itself opens next: the receipt stays above it. */
  goesOn(code: string): void {
    this.#next = code
  }

  /** A person opened another item: hide the receipt, because it is about something else. */
  opened(code: string): void {
    if (code !== '' && code !== this.#next && this.failed === '') this.close()
    if (code !== '') this.#next = code
  }

  /** Hides the receipt. The decision can still be undone from its item. */
  close(): void {
    clearTimeout(this.#hides)
    this.shown = false
    this.failed = ''
  }

  /** The decision on an item, while it can be undone. */
  of(code: string): Outcome | undefined {
    const outcome = this.#recent.get(code)
    return outcome?.undo ? outcome : undefined
  }

  /** Tightens at once; for something kept blocked, it opens the review again instead. */
  async undo(outcome = this.outcome): Promise<void> {
    if (!outcome?.undo) return
    try {
      if (outcome.did === 'allowed') for (const one of [outcome, ...(outcome.also ?? [])]) await this.#takeBack(one, outcome.newServer === true)
      this.#forget(outcome)
      this.close()
      const code = outcome.did === 'kept' || outcome.newServer ? outcome.code : ''
      this.#next = code
      go('inbox', code)
    } catch (thrown) {
      this.outcome = outcome
      this.failed = refusalOf(thrown).message
      this.shown = true
    }
  }

  /** A new server becomes the pending item it was. If that is impossible, for example after another decision, it is blocked. */
  async #takeBack(one: { code: string; identity: string; items: string[] }, newServer: boolean): Promise<void> {
    if (this.#undone.has(one.code)) return
    if (!(newServer && (await this.#api.undo(one.code).then(() => true, () => false)))) await this.#api.block(one.identity, one.items)
    this.#undone.add(one.code)
  }

  #forget(outcome: Outcome): void {
    for (const one of [outcome, ...(outcome.also ?? [])]) if (this.#recent.get(one.code) === outcome) this.#recent.delete(one.code)
    if (this.outcome !== outcome) return
    this.close()
    this.outcome = null
  }

  /** Not while it has the focus, or keyboard users could not reach its buttons. */
  #hideLater(): void {
    clearTimeout(this.#hides)
    this.#hides = setTimeout(() => {
      if (this.failed !== '' || document.getElementById('toast')?.contains(document.activeElement)) this.#hideLater()
      else this.close()
    }, SHOWN)
  }
}

const KEY = Symbol('last decision')

export function provideLastDecision(last: LastDecision): LastDecision {
  return setContext(KEY, last)
}

/** The page's, or a separate one for a room that is rendered alone. */
export function lastDecisionOf(api: Api): LastDecision {
  return getContext<LastDecision | undefined>(KEY) ?? new LastDecision(api)
}
