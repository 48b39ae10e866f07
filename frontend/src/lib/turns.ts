/**
 * One question at a time, and one more after it if it was asked for meanwhile: a storm of hints is one answer, and no older
 * answer comes after a newer one. The promise is done when the last answer is there.
 */
export function inTurn(ask: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let again = false
  return () => {
    if (running) {
      again = true
      return running
    }
    running = (async () => {
      try {
        do {
          again = false
          await ask()
        } while (again)
      } finally {
        running = null
      }
    })()
    return running
  }
}
