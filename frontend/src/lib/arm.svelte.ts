/** Go counts from when it answered; a little more, so that it never refuses what the page let through. */
const MARGIN = 80

/** Whether what is on the screen has been there for long enough to be decided on. A window that nobody sees arms nothing. */
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
