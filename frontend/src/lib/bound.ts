/** Api and Events over the bindings that the program generates. Only main.ts imports this: everything else gets the interface. */
import * as page from '../api/wailsjs/go/desktop/Page'
import { EventsOn } from '../api/wailsjs/runtime/runtime'
import type { Api, Events } from './api'

export const api = Object.fromEntries(Object.entries(page).map(([name, ask]) => [name.charAt(0).toLowerCase() + name.slice(1), ask])) as Api

export const events: Events = {
  onChanged: (listener) => EventsOn('changed', () => listener()),
  onRoute: (listener) => EventsOn('route', (route: unknown) => listener(String(route))),
  onTheme: (listener) => EventsOn('theme', () => listener()),
}
