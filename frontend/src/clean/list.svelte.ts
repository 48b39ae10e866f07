import { refusalOf, type Api, type CleanDecided, type CleanSet } from '../lib/api'
import { Arm } from '../lib/arm.svelte'

/**
 * One list of new servers without warnings, as it was shown: what is allowed is this list and no other. It is never refreshed while
 * it is on the screen; what changed since is left out by Go, and named.
 */
export class CleanList {
  set = $state.raw<CleanSet | null>(null)
  done = $state.raw<CleanDecided | null>(null)
  failed = $state('')
  busy = $state(false)

  #api: Api
  #arm = new Arm()
  #asked = 0

  constructor(api: Api) {
    this.#api = api
  }

  get ready(): boolean {
    return this.#arm.on && !this.busy && this.done === null
  }

  /** Lists what waits now. */
  async open(): Promise<void> {
    const ask = ++this.#asked
    this.#arm.off()
    try {
      const set = await this.#api.cleanServers()
      if (ask !== this.#asked) return
      this.set = set
      this.failed = ''
      this.#arm.after(set.armAfterMs)
    } catch (thrown) {
      if (ask === this.#asked) this.failed = refusalOf(thrown).message
    }
  }

  /** Allows what is listed. Null where nothing was decided; failed says why. */
  async allow(): Promise<CleanDecided | null> {
    const set = this.set
    if (!set || !this.ready) return null
    this.busy = true
    this.failed = ''
    try {
      this.done = await this.#api.allowClean(set.digest, set.nonce)
      return this.done
    } catch (thrown) {
      this.#arm.off() // a look that was refused is over: the person lists them again
      this.failed = refusalOf(thrown).message
      return null
    } finally {
      this.busy = false
    }
  }

  /** The window was hidden: Go forgets the look. */
  hidden(): void {
    this.#arm.off()
  }

  close(): void {
    this.#asked++
    this.#arm.off()
  }
}
