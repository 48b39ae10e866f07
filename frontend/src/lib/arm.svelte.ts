/** Go counts from its response; waiting a little longer avoids a refusal. */
const MARGIN = 80

/** Whether the content has been on the screen long enough for a decision. A hidden window arms nothing. */
export class Arm {
  on = $state(false)

  #timer: ReturnType<typeof setTimeout> | undefined

  after(ms: number): void {
    this.off()
    if (document.visibilityState === 'hidden') return
    this.#timer = setTimeout(() => (this.on = true), ms + MARGIN)
  }

  off(): void {
    clearTimeout(this.#timer)
    this.on = false
  }
}
