/** What a decision came to, for the receipt. */
export interface Outcome {
  code: string
  identity: string
  did: 'allowed' | 'kept'
  items: string[]
  /** What the same decision allowed of other servers. */
  also?: { code: string; identity: string; items: string[] }[]
  /** It allowed new servers: taken back, each waits again as the item it was. */
  newServer?: boolean
  /** Ours. */
  words: string
  /** Code under which the rest waits. */
  next: string
  /** It can be taken back from the receipt. */
  undo: boolean
}
