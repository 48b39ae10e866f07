import type { Problem } from './api'
import type { Finding, Item } from './item'
import type { Light } from './light'

/** A guarded entry of a client's file. */
export interface Entry {
  /** Its name, for people. */
  client: string
  path: string
  /** server text */
  name: string
  /** Its client started it since it was last written. */
  started: boolean
}

export interface Server {
  /** server text */
  server: string
  /** as of Item */
  shown?: string
  /** "" of one that a client's file has guarded and that has not run yet: it has no page. */
  identity: string
  light: Light
  /** Responses that wait for a decision. */
  held: number
  entries: Entry[]
  state: string // new, open, blocked, no_common_version
  wrappers: number
  /** tools */
  allowed: number
  /** tools */
  blocked: number
  /** of the item that waits */
  code: string
  findings: Finding[]
  /** see Part */
  passages: number[][]
  /** "" when it was never seen */
  lastSeen: string
  sandbox: string // off, shield, strict
  runsUnder: string[]
  /** pinned things, all kinds */
  parts: number
  /** why nothing of it can be used, where no item says so */
  problem?: Problem
}

export interface ServerDetail extends Server {
  /** server text; secrets masked */
  command: string[]
  /** server text */
  url: string
  /** server text: pretty printed JSON */
  serverInfo: string
  items: ServerItem[]
  waiting: Item[]
}

export interface ServerItem {
  item: string
  kind: string
  /** server text */
  name: string
  state: string
  digest: string
  approvedBy: string
  /** RFC 3339, "" when nobody allowed it */
  approvedAt: string
  /** of the item it waits in */
  code: string
  /** server text: pretty printed JSON */
  definition: string
  findings: Finding[]
  /** see Part */
  passages: number[][]
}

export interface HistoryEvent {
  item: string
  kind: string
  /** server text */
  name: string
  at: string
  action: string // approve, replace, reject, block, trust, adopt
  by: string // person, trust-clean, seal, or what else decided
  digest: string
  /** the digest that this one took the place of, "" where it took none's */
  before: string
  /** of the item it was decided on, "" where on none */
  code: string
}

export interface Blocked {
  server: string
  items: string[]
  code: string
}
