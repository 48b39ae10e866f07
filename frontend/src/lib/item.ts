import type { Held, HeldWhy } from './held'
import type { Level, Severity } from './level'

export interface Finding {
  rule: string
  level: Level
  category: string // threat, secret
  /** ours */
  title: string
  where: string
  start: number
  end: number
  /** server text, at most 160 characters */
  match: string
  /** server text */
  decoded: string
  encodings: string[]
}

export type Kind =
  | 'new_server'
  | 'changed'
  | 'launch'
  | 'unguarded'
  | 'config_changed'
  | 'settings_changed'
  | 'interaction'
  | 'response_held'
  | 'guard_problem'

export interface Part {
  /** pin key: "tool:NAME", "instructions", "launch", "entry:NAME", "setting:KEY"; holds server text */
  item: string
  state: string // approved, new, changed, rejected, removed, unwrapped, fake, lost
  findings: Finding[]
  /** Places among the findings that are one warning to a person, the gravest first. */
  passages: number[][]
}

export interface Item {
  code: string
  kind: Kind
  /** server text */
  server: string
  /** the name where there is no room for all of it, and told apart from others that look like it; absent where it is `server` */
  shown?: string
  identity: string
  severity: Severity
  title: string
  digest: string
  created: string
  /** A model asked for it. */
  asked: boolean
  /** Changes too often; came and went. */
  noisy: boolean
  /** Of what a server runs: it waits for a decision, and the server runs meanwhile. */
  runs?: boolean
  /** Of what a server runs, which change it is: surroundings, program or loader. Empty where a person took an approval back. */
  launch?: string
  /** A new server without warnings: it can be allowed together with others. */
  clean?: boolean
  parts: Part[]
  /** passages of all of it */
  warnings: number
  decided: string // "", approved, rejected, withdrawn
  decidedAt: string
  path: string
  /** Of held responses: how many are in it. */
  count?: number
  /** when the first and the last of them came */
  first?: string
  last?: string
  /** of the newest of them, the newest first */
  codes?: string[]
  /** The same while responses come and go, and with them the item's code. */
  group?: string
  why?: HeldWhy | ''
  /** The gravest rule that all of them matched, "" where none is the reason. */
  rule?: string
  /** Their tool is allowed, so it can be blocked. */
  allowed?: boolean
}

export interface Review extends Item {
  /** Belongs to this code and digest, works once, dies with the window's being hidden. */
  nonce: string
  armAfterMs: number
  /** server text; secrets masked */
  command: string[]
  /** server text */
  url: string
  /** The server that ran under this name before. */
  before: EntryBefore | null
  /** server text: pretty printed JSON of what it calls itself */
  serverInfo: string
  findings: Finding[]
  /** of `findings`, see Part */
  passages: number[][]
  details: PartDetail[]
  /** Unified diff of a client's file; holds server text. */
  diff: string
  sandbox: string // off, shield, strict, ""
  lookedUnder: string
  /** Code under which what was left of it waits. */
  next: string
  /** What must be typed to allow: "" unless Critical. */
  typedWord: string
  /** It is not what it was when this code was minted; nothing can be decided. */
  stale: boolean
  /** Of an answer that was held back. */
  held?: Held
  /** Of a new server with tools: what they can do. */
  can?: Can
  /** Of a new server that runs here: which program it is. */
  made?: Made
}

/** All of its words are ours. */
export interface Can {
  statements: { of: string; words: string; tools: number }[]
  /** Whose word it is. */
  source: string
  /** Tools with a claim that their name contradicts. */
  disputed: number
}

export interface Made {
  manager: string // npm, pypi, docker, ""
  /** server text */
  package: string
  /** server text */
  version: string
  /** server text: a path */
  program: string
  fingerprint: string
  since: string
}

export interface Does {
  effect: 'changes' | 'reads' | 'unsaid'
  basis: 'claim' | 'names' | ''
  deletes: 'yes' | 'no' | 'unsaid'
  repeat: 'yes' | 'no' | 'unsaid'
  outside: 'yes' | 'no' | 'unsaid'
  touches: string[] // commands, files, data, messages, browser, payments, secrets, outside
  /** Ours. */
  disputes: string[]
}

export interface EntryBefore {
  identity: string
  state: string // new, open, blocked
  command: string[]
  url: string
}

export interface PartDetail {
  item: string
  /** tool, instructions, prompt, resource-template, resource, launch, entry, setting, store */
  kind: string
  /** server text */
  name: string
  state: string
  digest: string
  findings: Finding[]
  /** see Part */
  passages: number[][]
  /** server text: pretty printed JSON, "" when it is gone */
  definition: string
  /** server text: pretty printed JSON of what was last allowed, "" when it is new */
  approved: string
  changes: Change[]
  /** Of a tool that is declared. */
  does?: Does
}

export interface Change {
  path: string
  op: 'added' | 'removed' | 'changed'
  /** Ours, with names of the server in it: `added, required: "context" (text)`. */
  words: string
  /** server text */
  before: string
  /** server text */
  after: string
  text: Segment[]
}

export interface Segment {
  op: 'equal' | 'delete' | 'insert'
  /** server text */
  text: string
}

export interface Decision {
  code: string
  digest: string
  nonce: string
  /** Pin keys. Empty with all=false: everything without a warning. */
  items: string[]
  all: boolean
  typed: string
  /** Why, in the person's own words, or "". */
  reason: string
}

export interface Decided {
  code: string
  server: string
  approved: string[]
  rejected: string[]
  left: string[]
  /** Code under which the rest waits. */
  next: string
}
