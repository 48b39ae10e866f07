import { refusalOf, type Api, type HeldAll, type HeldAllDone } from '../lib/api'
import { Arm } from '../lib/arm.svelte'

/** The question whether to discard all responses of an item: those that were held when it was asked, and no other. */
export class Together {
  all = $state.raw<HeldAll | null>(null)
  failed = $state('')
  busy = $state(false)

  #api: Api
  #arm = new Arm()
  #code = ''
  #asked = 0

  constructor(api: Api) {
    this.#api = api
  }

  get ready(): boolean {
    return this.#arm.on && !this.busy
  }

  /** Counts what waits now. code: of any response in the item. */
  async ask(code: string): Promise<void> {
    const ask = ++this.#asked
    this.#arm.off()
    try {
      const all = await this.#api.heldTogether(code)
      if (ask !== this.#asked) return
      this.#code = code
      this.all = all
      this.failed = ''
      this.#arm.after(all.armAfterMs)
    } catch (thrown) {
      if (ask === this.#asked) this.failed = refusalOf(thrown).message
    }
  }

  /** Null where nothing was discarded; failed says why. */
  async discard(): Promise<HeldAllDone | null> {
    const all = this.all
    if (!all || !this.ready) return null
    this.busy = true
    this.failed = ''
    try {
      return await this.#api.discardAll({ code: this.#code, digest: all.digest, nonce: all.nonce, reason: '' })
    } catch (thrown) {
      this.failed = refusalOf(thrown).message
      return null
    } finally {
      this.#arm.off() // the question was answered: another needs another look
      this.busy = false
    }
  }

  /** The window was hidden: Go forgets the question. */
  hidden(): void {
    this.#arm.off()
  }

  close(): void {
    this.#asked++
    this.#arm.off()
  }
}
