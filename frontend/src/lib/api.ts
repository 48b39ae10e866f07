import type { CleanDecided, CleanSet } from './clean'
import type { ExceptDecision, Exception, Held, HeldAllDecision, HeldAllDone, HeldDecision, HeldDone, HeldPage } from './held'
import type { Level, Severity } from './level'

export type * from './clean'
export type * from './held'
export type * from './level'

/**
 * What the page may ask of the program, and nothing else. The one place where the names between Go and page are written down:
 * app/desktop's Page answers them, lib/bound.ts carries them over, rooms and tests speak only this.
 *
 * Times are RFC 3339 strings. A field marked "server text" holds what somebody else wrote: it goes to the screen through
 * UntrustedText, or through Name where it is a short name, and nowhere else.
 */
export interface Api {
  /** The route that Go kept for the page ("#/inbox/4F2A", or ""). Asked once, after the listeners are registered. */
  ready(): Promise<string>
  /** What the page shows now, and whether a person has it before them: what is on the screen is not notified. */
  shows(place: string, item: string, focused: boolean): Promise<void>
  /** Rejects where the engine is gone or ends. Asked every other second while the window is seen. */
  alive(): Promise<void>
  /** Everything global; cheap. Asked again at every "changed". */
  overview(): Promise<Overview>
  /** What waits: Critical first, then newest. */
  inbox(): Promise<Item[]>
  /** What was decided today, or came and went. */
  decided(): Promise<Item[]>
  /** One item whole. Mints a nonce for this view of it. */
  review(code: string): Promise<Review>
  allow(decision: Decision): Promise<Decided>
  /** Keeps it blocked. For a guard or a file: what is there now is taken as wanted (that loosens, so it asks for typed). */
  keep(decision: Decision): Promise<Decided>

  /** The new servers without warnings, as one list. Mints a nonce for this view of it. */
  cleanServers(): Promise<CleanSet>
  /** Allows those of the list that are still exactly as they were listed, and names the others. */
  allowClean(digest: string, nonce: string): Promise<CleanDecided>

  /** One more page of a part of a held answer. */
  heldText(code: string, digest: string, part: number, page: number): Promise<HeldPage>
  /** Lets a held answer through once. Critical: typed. */
  release(decision: HeldDecision): Promise<HeldDone>
  /** Deletes what is held. */
  discard(decision: HeldDecision): Promise<HeldDone>
  /** Deletes the responses of an item that were held when it was shown. */
  discardAll(decision: HeldAllDecision): Promise<HeldAllDone>
  /** Lets answers of the tool pass the rules that matched in this one, for a while. */
  except(decision: ExceptDecision): Promise<Exception[]>
  exceptions(): Promise<Exception[]>
  /** Only tightens. */
  endException(id: string): Promise<Exception>

  servers(): Promise<Server[]>
  server(identity: string): Promise<ServerDetail>
  /** What was decided about its parts, newest first. */
  history(identity: string): Promise<HistoryEvent[]>
  /** Only tightens. No items: the whole server. */
  block(identity: string, items: string[]): Promise<Blocked>
  /** Only tightens: a new server that was allowed waits again, as the item it was. */
  undo(code: string): Promise<Blocked>
  logs(server: string, lines: number): Promise<string>

  activity(query: ActivityQuery): Promise<Activity>
  record(id: string): Promise<ActivityRecord>

  /** The settings in force, of one server (identity) or in general (""). */
  settings(server: string): Promise<Setting[]>
  /** A value that makes things less safe needs the nonce of confirmLoosening; without it: 4014. */
  setSetting(setting: SetSetting): Promise<Setting>
  confirmLoosening(key: string, value: string, server: string): Promise<Confirm>

  clients(): Promise<Coverage>
  /** Asks the person in the system's dialog. The path that is looked at from now on; "": none was chosen. */
  chooseFile(client: string): Promise<string>
  /** Opens the file manager at a file that is missing or broken. chosen: the one that was chosen in the place of the client's own. */
  showInFolder(client: string, chosen: boolean): Promise<void>
  previewProtect(client: string, path: string, names: string[]): Promise<Preview>
  protect(client: string, path: string, names: string[], digest: string, nonce: string): Promise<Preview>
  previewUnprotect(client: string, path: string, names: string[]): Promise<Preview>
  unprotect(client: string, path: string, names: string[], digest: string, nonce: string): Promise<Preview>
  backups(): Promise<Backup[]>
  previewRestore(id: string): Promise<Preview>
  restore(id: string, digest: string, nonce: string): Promise<Preview>
  /** Starts each entry once and asks what it offers. */
  look(client: string, path: string, names: string[]): Promise<Looked[]>
  /** "Not now" of the first run: it is not shown by itself again. */
  laterFirstRun(): Promise<void>

  setTheme(theme: string): Promise<void>
  /** It was said that the program lives on when its window is closed. */
  toldOfTray(): Promise<void>
  /** Asks whether to quit, where something would be lost; the answers to that. */
  askToQuit(): Promise<void>
  quit(nonce: string): Promise<void>
  stay(): Promise<void>
  /** "" when it was sent, else why not. */
  testNotification(): Promise<string>
}

/** What the page is told without asking. Hints only: they carry no content but a route of ours. */
export interface Events {
  /** Something is not as it was: ask again. Returns how to stop listening. */
  onChanged(listener: () => void): () => void
  onRoute(listener: (route: string) => void): () => void
  onTheme(listener: () => void): () => void
}

/** A rejected promise of Api carries this. */
export interface Refusal {
  code: number
  message: string
  see?: string
}

export const CODES = {
  badRequest: 4000,
  notFound: 4004,
  stale: 4009,
  loosens: 4014,
  unavailable: 4050,
} as const

export type Colour = 'grey' | 'green' | 'amber' | 'red'

/** How a server is, or all of them. The program computes it, in its words; the page shows it. */
export interface Light {
  colour: Colour
  state: string
  words: string
  /** What a person can do, "" where there is nothing. */
  next: string
}

export interface Overview {
  version: string
  home: string
  theme: 'light' | 'dark' | 'system'
  /** Of all; the icon's too. */
  light: Light
  guarded: number
  total: number
  waiting: { critical: number; high: number; review: number }
  problems: Problem[]
  /** What is allowed and a client has not listed since, a row for each client and server. */
  unseen: Unseen[]
  serversRunning: number
  /** Nothing is protected yet, and nobody said "Not now". */
  firstRun: boolean
  /** "", or why notifications do not show. */
  notifications: string
  /** "", or why there is no tray icon. */
  tray: string
  storeOK: boolean
  /** The person was told that the program lives on when its window is closed. */
  trayTold: boolean
  /** The nonce of the question whether to quit, "" while nobody asked for it. */
  quitting: string
}

export interface Unseen {
  /** As people know it; a name of its own only of a client that is not known. */
  client: string
  /** server text */
  server: string
  identity: string
  /** What helps, such as "restart Claude Desktop". */
  next: string
  code: string
}

export interface Problem {
  code: string
  what: string
  next: string
}

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

export interface ActivityQuery {
  server: string
  tool: string
  /** one kind, or several with commas between */
  kind: string
  /** one status, or several with commas between */
  status: string
  /** RFC 3339, or "" */
  since: string
  limit: number
  /** a record id: only later ones, the first `limit` of them */
  after: string
  /** a record id: only older ones, the newest `limit` of them */
  before: string
  /** looked for in server, tool, code and summary */
  text: string
}

export interface Activity {
  /** newest first */
  items: ActivityRow[]
}

export interface ActivityRow {
  id: string
  time: string
  kind: string
  status: string // ok, warned, blocked, held, error
  /** server text */
  server: string
  /** server text */
  tool: string
  /** server text: what a read names, "" for other records */
  named: string
  code: string
  mode: string
  /** ours */
  summary: string
  client: string
  durationUs: number
  bytes: number
}

export interface ActivityRecord extends ActivityRow {
  /** pretty printed JSON; may hold server text */
  detail: string
  session: string
  request: string
  prev: string
  hash: string
}

export interface Setting {
  key: string
  value: string
  default: string
  from: string // default, settings, server, tool
  doc: string
  /** what is allowed, in words: "off, warn, strict" */
  values: string
  /** the values to choose from, where there are few; else empty */
  choices: string[]
  /** which way is safer, in words */
  safer: string
  /** less safe than its default */
  lessSafe: boolean
  scope: string // global, server, tool
  /** set in the window only */
  window: boolean
}

export interface SetSetting {
  key: string
  value: string
  /** identity, or "" */
  server: string
  /** of confirmLoosening, or "" */
  nonce: string
}

export interface Confirm {
  nonce: string
  /** What stops being checked, in words. */
  words: string
  armAfterMs: number
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

/** What went wrong, whatever was thrown. Over the bindings a refusal comes as the message of an Error, in JSON. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Error && thrown.message.startsWith('{"code":')) {
    try {
      return refusalOf(JSON.parse(thrown.message))
    } catch {
      // it only looks like one
    }
  }
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { code, message, see } = thrown as Partial<Refusal>
    return { code: typeof code === 'number' ? code : 0, message: String(message), see: see ?? '' }
  }
  return { code: 0, message: String(thrown) }
}
