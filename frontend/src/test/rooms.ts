import type {
  ActivityQuery, ActivityRow, Api, Backup, Colour, Coverage, Finding, GuardProvider, HistoryEvent, Light, Overview, Preview, Server, ServerDetail, ServerItem, Setting, Unguarded, Unseen,
} from '../lib/api'
import { foldingOf } from './passages'
import { sent } from './sent'

/** An Api that answers what a test gives it, and refuses all else: a question that nobody expected fails the test. */
export function apiOf(answers: Partial<Api>): Api {
  return new Proxy(answers as Api, {
    get: (given, name) => Reflect.get(given, name) ?? (() => Promise.reject({ code: 4000, message: `nobody expected ${String(name)}` })),
  })
}

/** All that stands in the page: text, names, ids, addresses. */
export function written(element: Element): string {
  return new XMLSerializer().serializeToString(element)
}

/** Rejects as the program does. */
export function refuse(code: number, message: string): Promise<never> {
  return Promise.reject({ code, message, see: '' })
}

/** As the program says it. */
export function lightOf(colour: Colour = 'green', words = 'Guarded', state = 'guarded', next = ''): Light {
  return { colour, state, words, next }
}

export function unguardedOf(name: string, with_: Partial<Unguarded> = {}): Unguarded {
  return { client: 'claude-desktop', name, kind: 'entry', why: 'you haven\'t protected it yet', code: 'SP-210', next: '', light: lightOf('amber', 'Not guarded', 'unguarded'), ...with_ }
}

export function unseenOf(client: string, server: string, next: string, identity = `stdio:${server}`): Unseen {
  return { client, server, id: identity, identity, session: 's', items: 1, since: '2026-11-21T10:02:00Z', next, code: 'SP-220' }
}

export function overviewOf(with_: Partial<Overview> = {}): Overview {
  return {
    version: '0.1.0', home: '/home/ada/.local/share/sallyport', theme: 'system', light: lightOf(), guarded: 3, total: 4,
    waiting: { critical: 0, high: 0, review: 0 }, problems: [], unseen: [], serversRunning: 2, firstRun: false, notifications: '', tray: '', storeOK: true, trayTold: true, quitting: '', ...with_,
  }
}

export function rowOf(n: number, with_: Partial<ActivityRow> = {}): ActivityRow {
  return sent({
    id: `r${String(n).padStart(6, '0')}`, time: new Date(2026, 10, 21, 10, 0, 0).toISOString(), kind: 'tool_call', status: 'ok', server: 'weather', shown: with_.server ?? 'weather', tool: 'get_forecast', named: '', check: '',
    code: '', mode: '', summary: '', client: 'claude-desktop', duration_us: 182_000, bytes: 2048, ...with_,
  }, 'server', 'tool', 'code', 'mode', 'summary', 'client', 'duration_us', 'bytes')
}

/** A timeline that answers as the program does. rows: newest first. */
export function timeline(rows: () => ActivityRow[]) {
  const asked: ActivityQuery[] = []
  const activity = (q: ActivityQuery) => {
    asked.push(q)
    const among = (list: string | undefined, word: string) => !list || list.split(',').includes(word)
    const all = rows()
    const place = (id: string) => all.findIndex((r) => r.id === id)
    for (const id of [q.after, q.before]) if (id && place(id) < 0) return refuse(4004, `no record ${id} any more`)
    const fits = (r: ActivityRow) =>
      among(q.kind, r.kind) && among(q.status, r.status) && (!q.server || r.server === q.server) && (!q.since || r.time >= q.since) &&
      (!q.text || `${r.server} ${r.tool} ${r.code} ${r.summary}`.toLowerCase().includes(q.text.toLowerCase()))
    if (q.after) return Promise.resolve({ items: all.slice(0, place(q.after)).filter(fits).slice(-(q.limit ?? 0)) })
    return Promise.resolve({ items: all.slice(q.before ? place(q.before) + 1 : 0).filter(fits).slice(0, q.limit) })
  }
  return { asked, activity }
}

export function findingOf(with_: Partial<Finding> = {}): Finding {
  return {
    rule: 'reads_private_files', level: 'critical', category: 'threat', title: 'Asks Claude to read private keys', where: 'description', start: 0, end: 10,
    match: 'read ~/.ssh/id_rsa', decoded: '', encodings: [], ...with_,
  }
}

export function serverOf(with_: Partial<Server> = {}): Server {
  return {
    server: 'weather', identity: 'stdio:["npx","@acme/weather"]', remote: false, light: lightOf(), held: 0, entries: [], state: 'open', wrappers: 0, allowed: 4, blocked: 0, code: '', findings: [], passages: foldingOf(with_.findings ?? []),
    lastSeen: '2026-11-21T10:02:00Z', sandbox: 'off', runsUnder: [], parts: 5, ...with_,
  }
}

export function itemOf(name: string, with_: Partial<ServerItem> = {}): ServerItem {
  return {
    item: `tool:${name}`, kind: 'tool', name, state: 'approved', digest: 'a'.repeat(64), approvedBy: 'person', approvedAt: '2026-11-03T09:00:00Z', code: '', tokens: 0, readOnly: false,
    definition: JSON.stringify({ name, description: `Does ${name}.` }, null, 2), findings: [], passages: foldingOf(with_.findings ?? []), ...with_,
  }
}

export function eventOf(name: string, with_: Partial<HistoryEvent> = {}): HistoryEvent {
  return { item: `tool:${name}`, kind: 'tool', name, at: '2026-11-03T09:00:00Z', action: 'approve', by: 'person', digest: 'a'.repeat(64), before: '', code: '4F2A', ...with_ }
}

export function detailOf(with_: Partial<ServerDetail> = {}): ServerDetail {
  return {
    ...serverOf(), command: ['npx', '-y', '@acme/weather'], url: '', serverInfo: '{"name": "weather"}', waiting: [],
    items: [itemOf('get_alerts'), itemOf('get_forecast'), { ...itemOf(''), item: 'launch', kind: 'launch', definition: '{"path": "/usr/bin/npx"}' }], ...with_,
  }
}

export function settingOf(key: string, with_: Partial<Setting> = {}): Setting {
  return {
    key, value: 'notify', default: 'notify', from: 'default', doc: 'What happens. More of it.', values: 'off, notify, block', choices: ['off', 'notify', 'block'],
    safer: 'block', lessSafe: false, scope: 'server', window: false, ...with_,
  }
}

export function guardOf(name: string, with_: Partial<GuardProvider> = {}): GuardProvider {
  return sent({ name, state: 'on', asked: 0, failed: 0, p50_ms: 0, reason: '', lacks: '', failing: false, ...with_ }, 'lacks', 'failing')
}

export function coverageOf(with_: Partial<Coverage> = {}): Coverage {
  return {
    guarded: 0, total: 3, unguarded: [], unseen: [],
    clients: [{
      client: 'claude-desktop', name: 'Claude Desktop', path: '/home/ada/.config/Claude/claude_desktop_config.json', state: 'found', why: '', watched: false, guarded: 0, total: 3,
      entries: [entry('weather', 'open'), entry('notes', 'open'), entry('remote', 'open')],
      help: { choose: false, show: false, chosen: false },
    }],
    ...with_,
  }
}

export function entry(name: string, state: string, why = '') {
  return { name, state, why, code: '', runs: ['npx', `@acme/${name}`] }
}

export const DIFF = `--- a
+++ b
@@ -1,5 +1,5 @@
 {
   "mcpServers": {
-    "weather": {"command": "npx", "args": ["-y", "@acme/weather"], "env": {"API_KEY": "••••"}},
+    "weather": {"command": "/usr/bin/sallyport", "args": ["wrap", "--name", "weather", "--", "npx", "-y", "@acme/weather"], "env": {"API_KEY": "••••"}},
     "remote": {"url": "https://x.example/mcp"}
   }
`

export function previewOf(with_: Partial<Preview> = {}): Preview {
  return {
    client: 'claude-desktop', path: '/home/ada/.config/Claude/claude_desktop_config.json', digest: 'd1', diff: DIFF, nonce: 'n1', backup: '', written: false, note: '', armAfterMs: 0,
    entries: [entry('weather', 'wrapped'), entry('notes', 'wrapped'), entry('remote', 'left', 'a remote server, which this version can\'t guard')], ...with_,
  }
}

export function backupOf(n: number, with_: Partial<Backup> = {}): Backup {
  return { id: `20261121-10020${n}.117-3fa94c1b`, path: '/home/ada/.config/Claude/claude_desktop_config.json', time: `2026-11-2${n}T10:02:04Z`, size: 2140, digest: 'e'.repeat(64), ...with_ }
}
