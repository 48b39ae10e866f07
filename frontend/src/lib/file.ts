import type { Light } from './light'

export interface Unguarded {
  client: string
  /** server text */
  name: string
  kind: string // entry, extension, remote, policy
  why: string
  code: string
  next: string
  light: Light
}

export interface Coverage {
  guarded: number
  total: number
  clients: ClientFile[]
  unguarded: Unguarded[]
  unseen: string[]
}

export interface ClientFile {
  client: string
  name: string
  path: string
  state: string // found, absent, denied, unseen, unreadable
  why: string
  watched: boolean
  guarded: number
  total: number
  entries: ClientEntry[]
  /** What is offered at a file that is missing or broken. */
  help: FileHelp
}

export interface FileHelp {
  choose: boolean // another file can be chosen
  show: boolean // the file manager can be opened there
  chosen: boolean // this is the one that was chosen
}

export interface ClientEntry {
  /** server text */
  name: string
  state: string // guarded, wrapped, unwrapped, open, left, fake, missing
  why: string
  code: string
  /** Server text: its command as it stands in the file, secrets masked; [] where that was not asked. */
  runs: string[]
}

export interface Preview {
  client: string
  path: string
  digest: string
  /** Unified, secrets masked; holds server text. "": nothing to change. */
  diff: string
  entries: ClientEntry[]
  /** Of this preview; "" after writing. */
  nonce: string
  /** Id of the backup that was made, "" where nothing was written. */
  backup: string
  written: boolean
  note: string
  armAfterMs: number
}

export interface Backup {
  id: string
  path: string
  time: string
  size: number
  digest: string
}

export interface Looked {
  /** server text */
  server: string
  state: string // "nothing to decide", "waits", "not looked at"
  code: string
  kind: string
  items: number
  error: string
}
