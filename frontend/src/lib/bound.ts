/**
 * Api and Events over the bindings that the program generates. Only main.ts imports this: everything else gets the interface.
 */
import * as page from '../api/wailsjs/go/desktop/Page'
import { EventsOn } from '../api/wailsjs/runtime/runtime'
import type { Api, Events } from './api'

export const api: Api = {
  ready: page.Ready,
  shows: page.Shows,
  alive: page.Alive,
  overview: page.Overview,
  inbox: page.Inbox,
  decided: page.DecidedItems,
  review: page.Review,
  allow: page.Allow,
  keep: page.Keep,
  cleanServers: page.CleanServers,
  allowClean: page.AllowClean,
  heldText: page.HeldText,
  release: page.Release,
  discard: page.Discard,
  heldTogether: page.HeldTogether,
  discardAll: page.DiscardAll,
  except: page.Except,
  exceptions: page.Exceptions,
  endException: page.EndException,
  servers: page.Servers,
  server: page.Server,
  history: page.History,
  block: page.Block,
  undo: page.Undo,
  logs: page.Logs,
  activity: page.Activity,
  record: page.Record,
  settings: page.Settings,
  setSetting: page.SetSetting,
  confirmLoosening: page.ConfirmLoosening,
  clients: page.Clients,
  chooseFile: page.ChooseFile,
  showInFolder: page.ShowInFolder,
  previewProtect: page.PreviewProtect,
  protect: page.Protect,
  previewUnprotect: page.PreviewUnprotect,
  unprotect: page.Unprotect,
  backups: page.Backups,
  previewRestore: page.PreviewRestore,
  restore: page.Restore,
  look: page.Look,
  laterFirstRun: page.NotNow,
  toldOfTray: page.TrayTold,
  askToQuit: page.AskToQuit,
  quit: page.Quit,
  stay: page.Stay,
  setTheme: page.SetTheme,
  testNotification: page.TestNotification,
}

export const events: Events = {
  onChanged: (listener) => EventsOn('changed', () => listener()),
  onRoute: (listener) => EventsOn('route', (route: unknown) => listener(String(route))),
  onTheme: (listener) => EventsOn('theme', () => listener()),
}
