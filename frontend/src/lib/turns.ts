/**
 * Runs one request at a time, and one more if it was called meanwhile: a storm of hints costs one more request, and no older response
 * overtakes a newer one. The promise resolves with the last response.
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
