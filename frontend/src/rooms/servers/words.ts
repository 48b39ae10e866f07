import type { Server, ServerItem, Unguarded } from '../../lib/api'
import { dayWords } from '../../lib/ui/time'

export type Standing = 'guarded' | 'blocked' | 'waiting' | 'problem'

export interface Status {
  standing: Standing
  words: string
}

/**
 * How a server stands, in the words of the list. What was allowed says nothing of a server that a client starts without us:
 * an entry of its name that is not guarded comes first, unless a wrapper runs.
 */
export function statusOf(server: Server, unguarded: readonly Unguarded[]): Status {
  if (server.wrappers === 0 && unguarded.some((u) => u.kind === 'entry' && u.name === server.server)) return { standing: 'problem', words: 'Not guarded' }
  if (server.state === 'no_common_version') return { standing: 'problem', words: 'Other protocol version' }
  if (server.state === 'new') return { standing: 'waiting', words: 'Waiting for you' }
  if (server.state === 'blocked') return { standing: 'blocked', words: 'Blocked' }
  if (server.blocked > 0) return { standing: 'blocked', words: server.blocked === 1 ? '1 tool blocked' : `${server.blocked} tools blocked` }
  if (server.code) return { standing: 'waiting', words: 'Something waits for you' }
  return { standing: 'guarded', words: 'Guarded' }
}

export function toolsWords(server: Server): string {
  const all = server.allowed + server.blocked
  return all === 0 ? 'none' : `${server.allowed} of ${all} allowed`
}

export function sandboxWords(sandbox: string): string {
  switch (sandbox) {
    case 'strict':
      return 'No network, no home'
    case 'shield':
      return 'Kept to itself'
    case 'off':
    case '':
      return 'None'
  }
  return sandbox
}

export const ITEM_KINDS: readonly { kind: string; title: string }[] = [
  { kind: 'instructions', title: 'Instructions for Claude' },
  { kind: 'tool', title: 'Tools' },
  { kind: 'prompt', title: 'Prompts' },
  { kind: 'resource-template', title: 'Resource patterns' },
  { kind: 'resource', title: 'Resources' },
]

/** What the server runs is an item too; it has its place under Start-up. */
export function offered(items: readonly ServerItem[]): { kind: string; title: string; items: ServerItem[] }[] {
  const known = new Set(['launch', ...ITEM_KINDS.map((k) => k.kind)])
  const groups = ITEM_KINDS.map((k) => ({ ...k, items: items.filter((i) => i.kind === k.kind) }))
  groups.push({ kind: 'other', title: 'Other', items: items.filter((i) => !known.has(i.kind)) })
  return groups.filter((group) => group.items.length > 0)
}

export interface ItemStatus {
  standing: Standing | 'gone'
  words: string
}

export function itemStatus(item: ServerItem, blockedWhole: boolean, now = new Date()): ItemStatus {
  switch (item.state) {
    case 'approved':
      return blockedWhole ? { standing: 'blocked', words: 'blocked with the server' } : { standing: 'guarded', words: allowedWords(item, now) }
    case 'changed':
      return { standing: 'blocked', words: 'blocked, changed since you allowed it' }
    case 'new':
      return { standing: 'waiting', words: 'blocked, waits for you' }
    case 'rejected':
      return { standing: 'blocked', words: 'blocked by you' }
    case 'removed':
      return { standing: 'gone', words: 'no longer offered' }
  }
  return { standing: 'blocked', words: `blocked (${item.state})` }
}

function allowedWords(item: ServerItem, now: Date): string {
  if (item.approvedBy !== '' && item.approvedBy !== 'person') return `allowed, ${item.approvedBy}`
  return item.approvedAt ? `allowed by you, ${dayWords(item.approvedAt, now)}` : 'allowed by you'
}

/** The name as a person reads it: the kind says what it is. */
export function itemName(item: ServerItem): string {
  return item.name || (item.kind === 'instructions' ? 'Instructions' : item.item)
}

export function unguardedWords(row: Unguarded): string {
  switch (row.kind) {
    case 'remote':
      return 'Remote server'
    case 'extension':
      return 'Desktop extension'
    case 'policy':
      return 'From a managed policy'
    case 'file':
      return 'A file that cannot be read'
  }
  return 'Not guarded'
}

/** The description as the server wrote it, "" without one. */
export function descriptionOf(item: ServerItem): string {
  try {
    const definition: unknown = JSON.parse(item.definition)
    if (typeof definition === 'string') return definition
    if (typeof definition !== 'object' || definition === null) return ''
    const text = (definition as { description?: unknown }).description
    return typeof text === 'string' ? text : ''
  } catch {
    return ''
  }
}
