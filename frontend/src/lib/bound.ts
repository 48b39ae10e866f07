/**
 * Api and Events over the bindings that the program generates. Only main.ts imports this: everything else gets the interface.
 */
import * as page from '../api/wailsjs/go/desktop/Page'
import { EventsOn } from '../api/wailsjs/runtime/runtime'
import type { Api, Events } from './api'

/** Go's names for kinds, states and severities are strings; api.ts says which there are. Lists are never null. */
const one = <T>(answer: Promise<unknown>) => answer as Promise<T>
const many = <T>(answer: Promise<unknown>) => answer as Promise<T[]>

export const api: Api = {
  ready: () => page.Ready(),
  shows: (place, item, focused) => page.Shows(place, item, focused),
  alive: () => page.Alive(),
  overview: () => one(page.Overview()),
  inbox: () => many(page.Inbox()),
  decided: () => many(page.DecidedItems()),
  review: (code) => one(page.Review(code)),
  allow: (decision) => one(page.Allow(decision)),
  keep: (decision) => one(page.Keep(decision)),
  cleanServers: () => one(page.CleanServers()),
  allowClean: (digest, nonce) => one(page.AllowClean(digest, nonce)),
  heldText: (code, digest, part, at) => one(page.HeldText(code, digest, part, at)),
  release: (decision) => one(page.Release(decision)),
  discard: (decision) => one(page.Discard(decision)),
  heldTogether: (code) => one(page.HeldTogether(code)),
  discardAll: (decision) => one(page.DiscardAll(decision)),
  except: (decision) => many(page.Except(decision)),
  exceptions: () => many(page.Exceptions()),
  endException: (id) => one(page.EndException(id)),
  servers: () => many(page.Servers()),
  server: (identity) => one(page.Server(identity)),
  history: (identity) => many(page.History(identity)),
  block: (identity, items) => one(page.Block(identity, items)),
  undo: (code) => one(page.Undo(code)),
  logs: (server, lines) => page.Logs(server, lines),
  activity: (query) => one(page.Activity(query)),
  record: (id) => one(page.Record(id)),
  settings: (server) => many(page.Settings(server)),
  setSetting: (setting) => one(page.SetSetting(setting)),
  confirmLoosening: (key, value, server) => one(page.ConfirmLoosening(key, value, server)),
  clients: () => one(page.Clients()),
  chooseFile: (client) => page.ChooseFile(client),
  showInFolder: (client, chosen) => page.ShowInFolder(client, chosen),
  previewProtect: (client, path, names) => one(page.PreviewProtect(client, path, names)),
  protect: (client, path, names, digest, nonce) => one(page.Protect(client, path, names, digest, nonce)),
  previewUnprotect: (client, path, names) => one(page.PreviewUnprotect(client, path, names)),
  unprotect: (client, path, names, digest, nonce) => one(page.Unprotect(client, path, names, digest, nonce)),
  backups: () => many(page.Backups()),
  previewRestore: (id) => one(page.PreviewRestore(id)),
  restore: (id, digest, nonce) => one(page.Restore(id, digest, nonce)),
  look: (client, path, names) => many(page.Look(client, path, names)),
  laterFirstRun: () => page.NotNow(),
  toldOfTray: () => page.TrayTold(),
  askToQuit: () => page.AskToQuit(),
  quit: (nonce) => page.Quit(nonce),
  stay: () => page.Stay(),
  setTheme: (theme) => page.SetTheme(theme),
  testNotification: () => page.TestNotification(),
}

export const events: Events = {
  onChanged: (listener) => EventsOn('changed', () => listener()),
  onRoute: (listener) => EventsOn('route', (route: unknown) => listener(String(route))),
  onTheme: (listener) => EventsOn('theme', () => listener()),
}
