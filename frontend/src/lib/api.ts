import type {
  Activity, ActivityQuery, ActivityRecord, Backup, Blocked, CleanDecided, CleanSet, Confirm, Coverage, Decided, Decision, ExceptDecision, Exception, HeldAll, HeldAllDecision, HeldAllDone,
  HeldDecision, HeldDone, HeldPage, HistoryEvent, Item, Looked, Overview, Preview, Review, Server, ServerDetail, SetSetting, Setting,
} from './told'

export type * from './told'

/**
 * What the page may ask of the program, and nothing else. app/desktop's Page answers it, lib/bound.ts
 * carries it over, rooms and tests speak only this. What is told and asked is in lib/told.ts.
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
