import type { ExceptFor } from '../lib/api'

/** One thing that can be decided on a review. What is offered, and how hard it is asked, is decided in actions.ts (of a held answer: ../held/actions.ts) and nowhere else. */
export interface Action {
  id: string
  /** On the button. */
  title: string
  /** For whom the button stands alone; begins with title. */
  label: string
  call: 'allow' | 'keep' | 'release' | 'without' | 'discard' | 'discardAll' | 'except' | 'block'
  items: string[]
  all: boolean
  /** once: at a click. twice: with a second click that says what follows. typed: with the word. form: for how long. */
  ask: 'once' | 'twice' | 'typed' | 'form'
  /** Before the second click, or the word: what follows. */
  consequence: string
  /** On the last button. */
  confirm: string
  /** For the receipt, after it was done. */
  done: string
  undo: boolean
  /** It is not blocked meanwhile. */
  runs?: boolean
  /** Over the word that is typed. */
  heading?: string
  /** On the button that decides nothing, where "Keep blocked" says something else. */
  back?: string
  /** How long an exception lasts. */
  length?: ExceptFor
}

export interface Actions {
  /** The safe one; null where nothing need be decided to stay safe. */
  safe: Action | null
  others: Action[]
  /** Behind a button of their own: what goes further than this item. */
  more?: Action[]
}
