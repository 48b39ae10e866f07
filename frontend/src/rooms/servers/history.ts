import type { HistoryEvent, ServerItem } from '../../lib/api'
import { kindOf } from '../../lib/kinds'

export interface Told {
  /** What happened, and who did it. */
  did: string
  /** Its kind, if it has no name. */
  noun: string
}

const NOUNS: Record<string, string> = { instructions: 'Instructions', launch: 'What it runs', tool: 'A tool', prompt: 'A prompt', page: 'A page', resource: 'A resource', 'resource-template': 'A resource pattern', skill: 'A skill' }

const DID: Record<string, string> = {
  approve: 'Allowed by you',
  replace: 'New version allowed by you',
  reject: 'Kept blocked by you',
  block: 'Blocked again by you',
  undo: 'Undone by you: waits for review again',
  trust: 'Allowed unread',
  adopt: 'Taken over',
}

export function eventWords(event: HistoryEvent, remote: boolean): Told {
  const noun = remote && event.kind === 'launch' ? 'The way to it' : NOUNS[kindOf(event.kind, event.name)] ?? 'A part'
  if (event.action === 'block' && event.by === 'seal') return { did: 'Blocked: its record was altered', noun }
  return { did: DID[event.action] ?? 'Noted', noun }
}

export interface HistoryDay {
  /** local midnight */
  start: number
  events: HistoryEvent[]
}

/** Newest first, as received. */
export function historyDays(events: readonly HistoryEvent[]): HistoryDay[] {
  const days: HistoryDay[] = []
  for (const event of events) {
    const at = new Date(event.at)
    const start = new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
    const last = days.at(-1)
    if (last?.start === start) last.events.push(event)
    else days.push({ start, events: [event] })
  }
  return days
}

/** The events that made items allowed: for each allowed item the newest one that allowed anything. */
export function inForce(events: readonly HistoryEvent[], items: readonly ServerItem[]): Set<HistoryEvent> {
  const allowed = new Set(items.filter((i) => i.state === 'approved' && i.kind !== 'launch').map((i) => i.item))
  const found = new Set<HistoryEvent>()
  for (const event of events) {
    if (!allowed.has(event.item) || !['approve', 'replace', 'trust'].includes(event.action)) continue
    found.add(event)
    allowed.delete(event.item)
  }
  return found
}
