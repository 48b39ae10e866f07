import { cameFrom, many } from '../held/row'
import { responses } from '../held/words'
import type { Item, Part } from '../lib/api'
import { countedWords, kindOfItem } from '../lib/kinds'
import { labelOf } from '../review/settings'
import { hostIn } from '../review/signin'
import { serverName } from '../untrusted/names'

/** A stable key for a row: an item of held responses keeps its row while its code moves on to the newest. */
export const keyOf = (item: Item) => item.group || item.code

/** Whether a code opens the item: its own, or that of a response in it. */
export const holds = (item: Item, code: string) => item.code === code || Boolean(item.codes?.includes(code))

/** The kind of an item, for the list. */
export function kindWords(item: Item): string {
  switch (item.kind) {
    case 'new_server':
      return 'New server'
    case 'changed':
      return changedWords(item.parts.filter((p) => p.state !== 'removed'))
    case 'launch':
      return 'Program changed'
    case 'unguarded':
      return 'Guard removed'
    case 'config_changed':
      return 'Settings file changed'
    case 'extension':
      return item.parts[0]?.state === 'new' ? 'New extension' : 'Extension changed'
    case 'settings_changed':
      return 'Setting made less safe'
    case 'interaction':
      return 'Request from a server'
    case 'call_waiting':
      return 'Call to review'
    case 'response_held':
      return many(item) ? `${responses(item.count ?? 0)}${item.decided === '' ? ' held' : ''}` : 'Response held'
    case 'login':
      return item.login?.had?.length ? 'Wants you to allow more' : 'Wants a sign-in'
    case 'guard_problem':
      return 'Guard problem'
  }
}

function changedWords(parts: Part[]): string {
  const [only] = parts
  if (parts.length > 1 || !only) return parts.every((p) => p.item.startsWith('tool:')) ? 'Tools changed' : 'Items changed'
  const noun = { tool: 'Tool', instructions: 'Instructions', prompt: 'Prompt', page: 'Page', resource: 'Resource', 'resource-template': 'Resource', skill: 'Skill' }[kindOfItem(only.item)] ?? 'Tool'
  return only.state === 'new' ? `New ${noun.toLowerCase()}` : `${noun} changed`
}

/** The subject of an item besides the server: the name of its one part, else their number. */
export function aboutOf(item: Item): { name: string; words: string } {
  const parts = item.parts.filter((p) => p.item !== 'launch')
  if (item.kind === 'settings_changed') return { name: '', words: parts.length === 1 && parts[0] ? labelOf({ name: parts[0].item.replace(/^setting:/, '') }) : `${parts.length} settings` }
  if (item.kind === 'login') return { name: hostIn(item.login?.plan.issuer ?? ''), words: item.login?.plan.issuers?.length ? `${item.login.plan.issuers.length} places to choose from` : '' }
  const [only] = parts
  if (item.kind === 'new_server') {
    const items = [...new Set(parts.map((p) => p.item))] // one that differs between two protocol eras is two parts
    return { name: '', words: countedWords(items.filter((item) => item.startsWith('tool:')).length, items) }
  }
  if (many(item) && cameFrom(item).kind.startsWith('resource')) return { name: '', words: 'resources' }
  if (parts.length === 1 && only?.item.includes(':')) return { name: only.item.slice(only.item.indexOf(':') + 1), words: '' }
  return { name: '', words: parts.length > 1 ? `${parts.length} items` : '' }
}

/** Whether it blocks anything, in a word. */
export function standing(item: Item): string {
  if (item.kind === 'response_held') return { '': 'held', approved: 'released', rejected: 'discarded' }[item.decided] ?? 'no longer stored'
  if (item.kind === 'call_waiting') return { '': 'not run', approved: item.call?.always ? 'always allowed' : 'allowed once', rejected: 'refused' }[item.decided] ?? 'never run'
  if (item.kind === 'login') return { '': item.login?.had?.length ? 'some calls blocked' : 'blocked', approved: 'signed in', rejected: 'not signed in' }[item.decided] ?? 'no longer wanted'
  switch (item.decided) {
    case 'approved':
      return fileKind(item) ? 'put back' : item.kind === 'extension' ? 'accepted' : 'allowed'
    case 'rejected':
      return fileKind(item) ? 'not changed' : 'kept blocked'
    case 'withdrawn':
      return 'resolved itself'
  }
  if (item.runs) return 'still running'
  if (item.kind === 'unguarded') return 'not guarded'
  if (item.kind === 'config_changed') return 'not blocked'
  if (item.kind === 'extension') return 'not blocked'
  if (item.kind === 'settings_changed') return 'not in force'
  return 'blocked'
}

export const fileKind = (item: Item) => item.kind === 'unguarded' || item.kind === 'config_changed'

/** "Open item 4F2A: weather, tool changed, critical". */
export function openLabel(item: Item): string {
  return `Open item ${item.code}: ${serverName(item.shown || item.server, 'a server')}, ${kindWords(item).toLowerCase()}, ${item.decided ? standing(item) : item.severity}`
}
