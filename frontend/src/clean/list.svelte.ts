import { refusalOf, type Api, type CleanDecided, type CleanSet } from '../lib/api'

/** Go counts from when it listed them; a little more, so that it never refuses what the page let through. */
const MARGIN = 80

/**
 * One list of new servers without warnings, as it was shown: what is allowed is this list and no other. It is never refreshed while
 * it is on the screen; what changed since is left out by Go, and named.
 */
export class CleanList {
  set = $state.raw<CleanSet | null>(null)
  done = $state.raw<CleanDecided | null>(null)
  failed = $state('')
  armed = $state(false)
  busy = $state(false)

  #api: Api
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0

  constructor(api: Api) {
    this.#api = api
  }

  get ready(): boolean {
    return this.armed && !this.busy && this.done === null
  }

  /** Lists what waits now. */
  async open(): Promise<void> {
    const ask = ++this.#asked
    this.#disarm()
    try {
      const set = await this.#api.cleanServers()
      if (ask !== this.#asked) return
      this.set = set
      this.failed = ''
      if (document.visibilityState !== 'hidden') this.#timer = setTimeout(() => (this.armed = true), set.armAfterMs + MARGIN)
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
      this.#disarm() // a look that was refused is over: the person lists them again
      this.failed = refusalOf(thrown).message
      return null
    } finally {
      this.busy = false
    }
  }

  /** The window was hidden: Go forgets the look. */
  hidden(): void {
    this.#disarm()
  }

  close(): void {
    this.#asked++
    this.#disarm()
  }

  #disarm(): void {
    clearTimeout(this.#timer)
    this.armed = false
  }
}
