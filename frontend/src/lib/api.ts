import type { Activity, ActivityQuery, ActivityRecord } from './activity'
import type { CleanDecided, CleanSet } from './clean'
import type { Backup, Coverage, Looked, Preview } from './file'
import type { ExceptDecision, Exception, HeldAll, HeldAllDecision, HeldAllDone, HeldDecision, HeldDone, HeldPage } from './held'
import type { Decided, Decision, Item, Review } from './item'
import type { Light } from './light'
import type { Blocked, HistoryEvent, Server, ServerDetail } from './server'
import type { Confirm, SetSetting, Setting } from './setting'

export type * from './activity'
export type * from './clean'
export type * from './file'
export type * from './held'
export type * from './item'
export type * from './level'
export type * from './light'
export type * from './server'
export type * from './setting'

/**
 * What the page may ask of the program, and nothing else. Here, and in the files of its subjects beside it, are the names between Go
 * and page written down: app/desktop's Page answers them, lib/bound.ts carries them over, rooms and tests speak only this.
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
  /** What waits in the item of this response now. Mints a nonce for the question whether to discard all of it. */
  heldTogether(code: string): Promise<HeldAll>
  /** Deletes the responses of an item that were held when it was shown, or asked about. */
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
