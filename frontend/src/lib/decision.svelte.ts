import { getContext, setContext } from 'svelte'
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { Outcome } from '../review/outcome'
import { refusalOf, type Api } from './api'
import { go } from './route'

/** How long it can be taken back, in its item and by Ctrl+Z. Later it is done where the server is shown. */
const KEPT = 10 * 60_000
/** How long the receipt is in the way. */
const SHOWN = 10_000

/** What was decided, whichever room is open by now. */
export class LastDecision {
  /** The last one, while it can be taken back. */
  outcome = $state.raw<Outcome | null>(null)
  /** Its receipt is on the screen. */
  shown = $state(false)
  /** Why it could not be taken back. */
  failed = $state('')

  #api: Api
  #recent = new SvelteMap<string, Outcome>()
  /** Of a decision over several servers: the items that were taken back before one could not be. */
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

  /** The item that the page itself goes on to: the receipt stays above it. */
  goesOn(code: string): void {
    this.#next = code
  }

  /** Another item is open: what is above it must be about it. */
  opened(code: string): void {
    if (code !== '' && code !== this.#next && this.failed === '') this.close()
    if (code !== '') this.#next = code
  }

  /** The receipt leaves. It can still be taken back from its item. */
  close(): void {
    clearTimeout(this.#hides)
    this.shown = false
    this.failed = ''
  }

  /** The decision over an item, while it can be taken back. */
  of(code: string): Outcome | undefined {
    const outcome = this.#recent.get(code)
    return outcome?.undo ? outcome : undefined
  }

  /** Towards the safer side at once; what was kept blocked is read again before anything else happens to it. */
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

  /** A new server waits again as the item it was. Where that cannot be, as of what was decided about since, it is blocked. */
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

  /** Not while the keyboard is on it, or a person could not reach what it offers. */
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

/** The page's, or one of its own for a room that stands alone. */
export function lastDecisionOf(api: Api): LastDecision {
  return getContext<LastDecision | undefined>(KEY) ?? new LastDecision(api)
}
