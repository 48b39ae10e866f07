import { refusalOf } from './api'
import { Arm } from './arm.svelte'

/**
 * A question about a list: the decision covers the list as it was shown. Go leaves out what came or changed since. T is the list, D the
 * result.
 */
export class Question<T extends { armAfterMs: number }, D> {
  shown = $state.raw<T | null>(null)
  done = $state.raw<D | null>(null)
  failed = $state('')
  busy = $state(false)

  #look: () => Promise<T>
  #arm = new Arm()
  #looks = 0

  constructor(look: () => Promise<T>) {
    this.#look = look
  }

  get ready(): boolean {
    return this.#arm.on && !this.busy
  }

  /** Shows what is pending now. */
  async ask(): Promise<void> {
    const look = ++this.#looks
    this.#arm.off()
    try {
      const shown = await this.#look()
      if (look !== this.#looks) return
      this.shown = shown
      this.failed = ''
      this.#arm.after(shown.armAfterMs)
    } catch (thrown) {
      if (look === this.#looks) this.failed = refusalOf(thrown).message
    }
  }

  /** Returns null if nothing was decided; failed says why. */
  async answer(decide: (shown: T) => Promise<D>): Promise<D | null> {
    const shown = this.shown
    if (!shown || !this.ready) return null
    this.busy = true
    this.failed = ''
    try {
      this.done = await decide(shown)
      return this.done
    } catch (thrown) {
      this.failed = refusalOf(thrown).message
      return null
    } finally {
      this.#arm.off() // the question was answered: another needs another look
      this.busy = false
    }
  }

  /** After the window was hidden, Go has forgotten the question: ask again once it is visible. */
  visibility(): void {
    if (this.done) return
    if (document.visibilityState === 'hidden') this.#arm.off()
    else if (!this.busy) void this.ask()
  }

  close(): void {
    this.#looks++
    this.#arm.off()
  }
}
