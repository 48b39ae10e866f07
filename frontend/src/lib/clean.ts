import type { EntryBefore } from './api'

/** New servers without warnings that one decision can allow. */
export interface CleanSet {
  /** Covers every server of the list. */
  digest: string
  /** Belongs to this list, works once, dies with the window's being hidden. "" where nothing is listed. */
  nonce: string
  armAfterMs: number
  servers: CleanServer[]
  /** New servers with a warning: each is decided by itself. */
  other: number
}

export interface CleanServer {
  code: string
  /** server text */
  server: string
  /** server text; secrets masked */
  command: string[]
  /** server text */
  url: string
  tools: number
  /** What its tools can do, in words of ours; "" without tools. */
  can: string
  /** Whose word that is. */
  source: string
  /** Tools whose names contradict what they claim. */
  disputed: number
  /** Pin keys of what would be allowed; hold server text. */
  parts: string[]
  /** Names of variables that load code into it: it was started with them. */
  loaders: string[]
  /** The server that ran under this name before. */
  before?: EntryBefore | null
}

export interface CleanDecided {
  allowed: { code: string; server: string; identity: string; items: string[] }[]
  left: { code: string; server: string; why: string; see: string }[]
}
