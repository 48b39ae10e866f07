/** What a decision came to, for the receipt. */
export interface Outcome {
  code: string
  identity: string
  did: 'allowed' | 'kept'
  items: string[]
  /** What the same decision allowed of other servers. */
  also?: { identity: string; items: string[] }[]
  /** Ours. */
  words: string
  /** Code under which the rest waits. */
  next: string
  /** It can be taken back from the receipt. */
  undo: boolean
}
