/** The page over made-up answers, for looking at it without the program: `npx vite`, then /src/test/harness.html#/servers. */
import '../lib/base.css'
import { mount } from 'svelte'
import App from '../App.svelte'
import type { ActivityRow, Api, Events, Setting } from '../lib/api'
import { allowedCallOf, exceptionOf } from './reviews'
import { apiOf, backupOf, coverageOf, detailOf, DIFF, entry, eventOf, findingOf, itemOf, lightOf, overviewOf, previewOf, refuse, rowOf, serverOf, settingOf, timeline, unguardedOf } from './rooms'

const query = new URLSearchParams(location.search)
const first = query.has('first')
const many = Number(query.get('many') ?? 60)
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const kinds: Partial<ActivityRow>[] = [
  {}, {}, {}, { tool: 'get_alerts' },
  { status: 'blocked', code: '4F2A', summary: 'it changed since you allowed it', duration_us: 300 },
  { kind: 'drift', status: 'blocked', code: '4F2A', summary: 'the tool "get_forecast" changed: its description', duration_us: 0 },
  { kind: 'approval', tool: 'get_alerts', code: '7CK4', summary: 'the tool "get_alerts" was allowed by a person', duration_us: 0 },
  { server: 'notes', tool: 'read_note', status: 'error', duration_us: 1_204_000 },
  { server: 'notes', tool: 'list_notes' }, { server: 'notes', tool: 'list_notes' },
  { kind: 'guard_problem', status: 'warned', tool: '', server: '', summary: '12 activity records were let go: the hub was away and the spool is full', duration_us: 0 },
  { kind: 'config_change', tool: '', server: '', summary: '2 entries of a client’s file guarded', duration_us: 0 },
  { server: 'Safe update ✅ \u202Etxt', tool: '', kind: 'server_start', summary: '' },
]
const rows = Array.from({ length: many }, (_, i) => rowOf(i, { time: ago(i * 7 + 2), ...kinds[i % kinds.length] }))

const servers = [
  serverOf({ light: lightOf('red', 'Critical, needs your review, 2 responses held', 'critical'), held: 2, blocked: 1, allowed: 3, code: '4F2A', wrappers: 1 }),
  serverOf({ server: 'notes', identity: 'stdio:notes', allowed: 6, sandbox: 'strict', lastSeen: ago(30) }),
  serverOf({ server: 'calendar', identity: '', light: lightOf('grey', 'Hasn’t started yet', 'not_started', 'Restart Claude Desktop.'), state: 'new', allowed: 0, lastSeen: '' }),
  serverOf({ server: 'github', identity: 'stdio:github', light: lightOf('amber', 'Needs your review', 'review'), state: 'new', allowed: 0, blocked: 18, code: '77B0', lastSeen: '' }),
  serverOf({ server: 'Safe update ✅ \u202Etxt' + 'x'.repeat(60), identity: 'stdio:hostile', light: lightOf('green', 'Blocked by you', 'blocked'), state: 'blocked', allowed: 0, blocked: 212, lastSeen: ago(60 * 30) }),
]
const items = [
  { ...itemOf(''), item: 'instructions', kind: 'instructions', definition: '"Use metric units."' },
  itemOf('get_alerts'), itemOf('get_radar', { approvedBy: 'trusted on first use, never read' }),
  itemOf('get_forecast', { state: 'changed', code: '4F2A', findings: [findingOf(), findingOf({ level: 'medium', title: 'Contains a hidden message' })] }),
  itemOf('Safe update ✅ \u202Etxt', { state: 'new', code: '4F2A' }),
  itemOf('set_home', { state: 'rejected' }),
  { ...itemOf('weather:///{city}'), item: 'resource-template:x', kind: 'resource-template' },
  { ...itemOf(''), item: 'launch', kind: 'launch', definition: '{\n  "path": "/usr/bin/npx",\n  "package": "@acme/weather@1.4.2"\n}' },
]
let settings: Setting[] = [
  settingOf('own_tools', { value: 'once', default: 'once', choices: ['once', 'always', 'waiting'], safer: 'neither', scope: 'global' }),
  settingOf('pins.first_use', { value: 'review', default: 'review', choices: ['review', 'trust-clean'], safer: 'review' }),
  settingOf('pins.recheck', { value: '30s', default: '30s', choices: [], values: 'a duration from 0 (every call) to 24h, or off', safer: 'shorter' }),
  settingOf('pins.recheck_timeout', { value: '10s', default: '10s', choices: [], values: 'a duration from 1ms to 10m', safer: 'shorter' }),
  settingOf('pins.resources', { value: 'off', default: 'off', choices: ['on', 'off'], safer: 'on' }),
  settingOf('sandbox', { value: 'off', default: 'off', choices: ['strict', 'shield', 'off'], safer: 'strict' }),
  settingOf('pins.launch', { value: 'off', lessSafe: true }),
  settingOf('limits.message', { value: '64MiB', default: '64MiB', choices: [], values: 'a size from 4KiB to 1GiB', safer: 'smaller' }),
  settingOf('approvals.cli', { value: 'off', default: 'off', choices: ['on', 'off'], safer: 'off', scope: 'global', window: true }),
  settingOf('clients.auto_protect', { value: 'on', default: 'on', choices: ['on', 'off'], safer: 'on', scope: 'global' }),
  settingOf('activity.keep', { value: '2160h', default: '2160h', choices: [], values: 'a duration from 1s to 876000h', safer: 'longer', scope: 'global' }),
  settingOf('activity.max_size', { value: '256MiB', default: '256MiB', choices: [], values: 'a size from 64KiB to 1024GiB', safer: 'larger', scope: 'global' }),
]
const guarded = coverageOf({
  guarded: 3, total: 6,
  unguarded: [
    unguardedOf('filesystem', { next: 'sallyport protect filesystem' }),
    unguardedOf('linear', { kind: 'remote', why: 'a remote server, which this version can\'t guard', code: 'SP-212', light: lightOf('grey', 'Remote server, can’t be guarded', 'beyond') }),
    unguardedOf('PDF reader', { kind: 'extension', why: 'the client starts desktop extensions itself, so Sallyport can\'t guard them', code: 'SP-213', next: 'to have it guarded, put the same server into the client’s file', light: lightOf('grey', 'Desktop extension, can’t be guarded', 'beyond') }),
  ],
  unseen: ['Sallyport can’t see or guard connectors you added inside Claude itself.'],
})
guarded.clients = guarded.clients.map((c) => ({ ...c, watched: true, guarded: 3, total: 5, entries: [entry('weather', 'guarded'), entry('filesystem', 'open')] }))

const overview = overviewOf({ firstRun: first, light: lightOf('red', '1 critical item needs your review', 'critical'), waiting: { critical: 1, high: 0, review: 1 }, theme: (query.get('theme') ?? 'system') as 'light', total: 6 })
const safer = ['off', 'notify', 'shield', 'strict', 'block', 'on']
const api: Api = apiOf({
  ready: async () => '',
  alive: async () => undefined, shows: async () => undefined,
  overview: async () => overview,
  inbox: async () => [], decidedItems: async () => [],
  servers: async () => (first ? [] : servers),
  server: async (identity) => detailOf({ ...servers.find((s) => s.identity === identity), items }),
  history: async () => [
    eventOf('get_forecast', { action: 'replace', at: ago(12), code: '77B0', before: 'b'.repeat(64) }), eventOf('get_alerts', { action: 'block', at: ago(40), code: '' }),
    eventOf('', { kind: 'instructions', item: 'instructions', at: ago(3000) }), eventOf('get_alerts', { at: ago(3000) }), eventOf('get_forecast', { at: ago(3000) }), eventOf('Safe update ✅ \u202Etxt', { action: 'reject', at: ago(3001) }),
  ],
  block: async (_, some) => ({ server: 'weather', items: some, code: '9XK2' }),
  logs: async () => 'listening on stdio\nwarning: API_KEY is deprecated\n',
  ...timeline(() => rows),
  record: async (id) => ({ ...(rows.find((r) => r.id === id) ?? rowOf(0)), detail: '{\n  "check": "gate"\n}', session: 's-77', request: '41', prev: '', hash: 'b24f67aa6665f9b8' }),
  settings: async () => settings,
  toolSettings: async () => [],
  guards: async () => [],
  setSetting: async ({ key, value, nonce }) => {
    const row = settings.find((s) => s.key === key) ?? settingOf(key)
    if (!nonce && safer.indexOf(value) < safer.indexOf(row.value)) return refuse(4014, 'this makes things less safe')
    const next = { ...row, value: value || row.default, lessSafe: nonce !== '' }
    settings = settings.map((s) => (s.key === key ? next : s))
    return next
  },
  confirmLoosening: async () => ({ nonce: 'n', armAfterMs: 800, words: 'Nobody notices any more when a server’s command runs another program. This counts for all servers.' }),
  clients: async () => (first ? coverageOf() : guarded),
  previewProtect: async () => previewOf(), protect: async () => previewOf({ written: true, backup: '20261121-100204.117-3fa94c1b', nonce: '' }),
  previewUnprotect: async () => previewOf(), unprotect: async () => previewOf({ written: true }),
  exceptions: async () => [exceptionOf(), exceptionOf({ id: 'x2', server: 'notes', item: 'tool:read_note', rule: 'way_out', used: 0 })],
  endException: async () => exceptionOf(),
  allowedCalls: async () => [allowedCallOf()],
  forgetCall: async () => allowedCallOf(),
  secrets: async () => ({ items: [{ name: 'openai', kept: 'keychain' }, { name: 'notes-service', kept: 'file' }], why: '' }),
  confirmReplacing: async (name) => ({ nonce: 'n', armAfterMs: 800, words: `Everything that uses keychain:${name} gets the new value. You can’t get the old one back.` }),
  replaceSecret: async () => undefined,
  backups: async () => [1, 2, 3].map((n) => backupOf(n)),
  previewRestore: async () => previewOf({ diff: DIFF, entries: [entry('weather', 'open'), entry('notes', 'guarded')] }), restore: async () => previewOf({ written: true }),
  look: async (_, __, [name]) => [{ server: name ?? '', state: 'waits', code: name === 'weather' ? '4F2A' : '', kind: 'new_server', items: 4, error: '' }],
  notNow: async () => undefined, setTheme: async () => undefined, testNotification: async () => '',
})
const events: Events = { onChanged: () => () => undefined, onRoute: () => () => undefined, onTheme: () => () => undefined }

const target = document.getElementById('app')
if (target) mount(App, { target, props: { api, events } })
