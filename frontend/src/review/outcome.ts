/** The result of a decision, for the receipt. */
export interface Outcome {
  code: string
  identity: string
  did: 'allowed' | 'kept'
  items: string[]
  /** What the same decision allowed on other servers. */
  also?: { code: string; identity: string; items: string[] }[]
  /** It allowed new servers: undone, each becomes the pending item it was. */
  newServer?: boolean
  /** Ours. */
  words: string
  /** Code of the item that holds the rest. */
  next: string
  /** It can be undone from the receipt. */
  undo: boolean
}
