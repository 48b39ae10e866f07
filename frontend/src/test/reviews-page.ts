/** The inbox over made-up items, for looking at it without the program: `npx vite`, then /src/test/reviews.html#/inbox/4F2A. */
import '../lib/base.css'
import { mount } from 'svelte'
import App from '../App.svelte'
import type { Decision, Events } from '../lib/api'
import { decidedOf, itemOf, KINDS } from './reviews'
import { apiOf, overviewOf, refuse } from './rooms'

const query = new URLSearchParams(location.search)
const none = query.has('none')
const all = none ? [] : Object.values(KINDS)
const waiting = all.filter((r) => r.decided === '')
const decide = async (d: Decision) => decidedOf(d, d.items)
const count = (severity: string) => waiting.filter((r) => r.severity === severity).length

const api = apiOf({
  ready: async () => '', alive: async () => undefined,
  overview: async () => overviewOf({ waiting: { critical: count('critical'), high: count('high'), review: count('review') }, theme: (query.get('theme') ?? 'system') as 'light' }),
  inbox: async () => waiting.map(itemOf),
  decidedItems: async () => all.filter((r) => r.decided !== '').map(itemOf),
  review: async (code) => all.find((r) => r.code === code) ?? refuse(4004, `no item ${code}; it was never there`),
  allow: decide,
  keep: decide,
})
const events: Events = { onChanged: () => () => undefined, onRoute: () => () => undefined, onTheme: () => () => undefined }

const target = document.getElementById('app')
if (target) mount(App, { target, props: { api, events } })
