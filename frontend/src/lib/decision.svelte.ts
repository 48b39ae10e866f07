import { getContext, setContext } from 'svelte'
import type { Outcome } from '../review/outcome'
import { refusalOf, type Api } from './api'
import { go } from './route'

/** How long it can be taken back from the receipt, and by Ctrl+Z. Later it is done where the server is shown. */
const KEPT = 10 * 60_000

/** What was decided last, whichever room is open by now. */
export class LastDecision {
  outcome = $state.raw<Outcome | null>(null)
  /** Why it could not be taken back. */
  failed = $state('')

  #api: Api
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: Api) {
    this.#api = api
  }

  say(outcome: Outcome): void {
    this.close()
    this.outcome = outcome
    this.#timer = setTimeout(() => this.close(), KEPT)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.outcome = null
    this.failed = ''
  }

  /** Towards the safer side at once; what was kept blocked is read again before anything else happens to it. */
  async undo(): Promise<void> {
    const outcome = this.outcome
    if (!outcome?.undo) return
    try {
      if (outcome.did === 'allowed') for (const one of [outcome, ...(outcome.also ?? [])]) await this.#api.block(one.identity, one.items)
      this.close()
      go('inbox', outcome.did === 'allowed' ? '' : outcome.code)
    } catch (thrown) {
      this.failed = refusalOf(thrown).message
    }
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
