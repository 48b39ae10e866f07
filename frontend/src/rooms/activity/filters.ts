import type { ActivityQuery } from '../../lib/api'

export type Chip = 'attention' | 'blocked' | 'held' | 'changes' | 'mine' | 'ran' | 'read' | 'asked'
export type Span = 'all' | 'today' | 'week'

export interface Filter {
  chip: Chip | ''
  server: string
  span: Span
  text: string
}

export const CHIPS: readonly { chip: Chip; name: string; kind: string; status: string }[] = [
  { chip: 'attention', name: 'Needs attention', kind: '', status: 'blocked,held,warned' },
  { chip: 'blocked', name: 'Blocked', kind: '', status: 'blocked' },
  { chip: 'held', name: 'Held', kind: '', status: 'held' },
  { chip: 'changes', name: 'Changes', kind: 'drift', status: '' },
  { chip: 'mine', name: 'My decisions', kind: 'approval,rejection,release', status: '' },
  { chip: 'ran', name: 'Ran', kind: 'tool_call', status: 'ok,error' },
  { chip: 'read', name: 'Read', kind: 'resource_read,prompt_get', status: '' },
  { chip: 'asked', name: 'Server requests', kind: 'sampling,elicitation', status: '' },
]

export const SPANS: readonly { span: Span; name: string }[] = [
  { span: 'all', name: 'All' },
  { span: 'today', name: 'Today' },
  { span: 'week', name: '7 days' },
]

/** Filters are in the address, so that they survive leaving and coming back. */
export function readFilter(query: URLSearchParams): Filter {
  const chip = CHIPS.find((c) => c.chip === query.get('show'))?.chip ?? ''
  const span = SPANS.find((s) => s.span === query.get('since'))?.span ?? 'all'
  return { chip, span, server: query.get('server') ?? '', text: query.get('text') ?? '' }
}

export function filterWords(filter: Filter): Record<string, string> {
  const words: Record<string, string> = {}
  if (filter.chip) words['show'] = filter.chip
  if (filter.server) words['server'] = filter.server
  if (filter.span !== 'all') words['since'] = filter.span
  if (filter.text) words['text'] = filter.text
  return words
}

export function isFiltering(filter: Filter): boolean {
  return Object.keys(filterWords(filter)).length > 0
}

export function queryOf(filter: Filter, now: Date, limit: number, place: { after?: string; before?: string } = {}): ActivityQuery {
  const chip = CHIPS.find((c) => c.chip === filter.chip)
  return { server: filter.server, kind: chip?.kind, status: chip?.status, since: sinceOf(filter.span, now), limit, ...place, text: filter.text.trim() }
}

function sinceOf(span: Span, now: Date): string | undefined {
  if (span === 'all') return undefined
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (span === 'week' ? 6 : 0))
  return midnight.toISOString()
}

export const today = () => new Date()
