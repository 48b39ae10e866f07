import type { ExceptFor } from '../lib/api'

/**
 * One possible decision on a review. Only actions.ts (for a held response: ../held/actions.ts) decides what is offered, and how many
 * steps it takes.
 */
export interface Action {
  id: string
  /** On the button. */
  title: string
  /** For screen readers, without context; begins with title. */
  label: string
  call: 'allow' | 'keep' | 'release' | 'without' | 'discard' | 'discardAll' | 'except' | 'block' | 'signIn'
  items: string[]
  all: boolean
  /** A call, for good. */
  always?: boolean
  /** once: one click. twice: a second click after the consequence. typed: a typed word. form: a duration. */
  ask: 'once' | 'twice' | 'typed' | 'form'
  /** The consequence, shown before the second click or the word. */
  consequence: string
  /** On the last button. */
  confirm: string
  /** For the receipt. */
  done: string
  undo: boolean
  /** It keeps running meanwhile. */
  runs?: boolean
  /** Heading above the typed word. */
  heading?: string
  /** Text of the button that decides nothing, if not "Keep blocked". */
  back?: string
  /** How long an exception lasts. */
  length?: ExceptFor
}

export interface Actions {
  /** The safe one; null if doing nothing is safe. */
  safe: Action | null
  others: Action[]
  /** Actions that go beyond this item, behind a button of their own. */
  more?: Action[]
}
