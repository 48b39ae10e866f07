import type { Colour, ServerItem, Server } from '../../lib/api'
import { kindOf } from '../../lib/kinds'
import { dayWords } from '../../lib/ui/time'

export function toolsWords(server: Server): string {
  const all = server.allowed + server.blocked
  return all === 0 ? 'none' : `${server.allowed} of ${all} allowed`
}

/** The link to a server's pending item. */
export const openWords = (server: Server) => (server.light.state === 'sign_in' ? 'Sign in' : 'Review')

export function sandboxWords(sandbox: string): string {
  switch (sandbox) {
    case 'strict':
      return 'No network, no home'
    case 'shield':
      return 'No access to other programs'
    case 'off':
    case '':
      return 'None'
    case 'none: remote':
      return 'None: remote'
  }
  return sandbox
}

export const ITEM_KINDS: readonly { kind: string; title: string }[] = [
  { kind: 'instructions', title: 'Instructions for Claude' },
  { kind: 'tool', title: 'Tools' },
  { kind: 'prompt', title: 'Prompts' },
  { kind: 'page', title: 'Pages' },
  { kind: 'resource-template', title: 'Resource patterns' },
  { kind: 'resource', title: 'Resources' },
  { kind: 'skill', title: 'Skills' },
]

/** The launch is an item too, but is shown under Start-up. */
export function offered(items: readonly ServerItem[]): { kind: string; title: string; items: ServerItem[] }[] {
  const known = new Set(['launch', ...ITEM_KINDS.map((k) => k.kind)])
  const groups = ITEM_KINDS.map((k) => ({ ...k, items: items.filter((i) => kindOf(i.kind, i.name) === k.kind) }))
  groups.push({ kind: 'other', title: 'Other', items: items.filter((i) => !known.has(i.kind)) })
  return groups.filter((group) => group.items.length > 0)
}

/** The state of an item, for display. */
export interface ItemStatus {
  colour: Colour
  words: string
  sign?: 'ban' | 'gone'
}

export function itemStatus(item: ServerItem, blockedWhole: boolean, now = new Date()): ItemStatus {
  switch (item.state) {
    case 'approved':
      return blockedWhole ? { colour: 'grey', sign: 'ban', words: 'blocked with the server' } : { colour: 'green', words: allowedWords(item, now) }
    case 'changed':
      return { colour: 'amber', sign: 'ban', words: 'blocked, changed since you allowed it' }
    case 'new':
      return { colour: 'amber', sign: 'ban', words: 'blocked, needs your review' }
    case 'rejected':
      return { colour: 'grey', sign: 'ban', words: 'blocked by you' }
    case 'removed':
      return { colour: 'grey', sign: 'gone', words: 'no longer offered' }
  }
  return { colour: 'amber', sign: 'ban', words: `blocked (${item.state})` }
}

function allowedWords(item: ServerItem, now: Date): string {
  if (item.approvedBy !== '' && item.approvedBy !== 'person') return `allowed, ${item.approvedBy}`
  return item.approvedAt ? `allowed by you, ${dayWords(item.approvedAt, now)}` : 'allowed by you'
}

/** What a definition costs, in words: models count differently, so this is never exact. */
export const tokenWords = (n: number) => `about ${(n < 100 ? n : Math.round(n / 10) * 10).toLocaleString('en')} tokens`

/** The name for display: the kind says what it is. */
export function itemName(item: ServerItem): string {
  return item.name || (item.kind === 'instructions' ? 'Instructions' : item.item)
}

/** The description as the server wrote it, "" if it has none. */
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
