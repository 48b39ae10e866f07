import type { Item } from '../lib/api'
import { worstOf } from '../review/findings'
import { plainName, serverName } from '../untrusted/names'
import { responses } from './words'

/** Held responses in one row of the inbox. */

/** Whether it holds more than one response. */
export const many = (item: Item) => (item.count ?? 0) > 1

/** Where the responses came from. Reads of resources are one item per server, so they have no common name. */
export function cameFrom(item: Item): { kind: string; name: string } {
  const key = item.parts[0]?.item ?? ''
  const at = key.indexOf(':')
  const kind = at < 0 ? '' : key.slice(0, at)
  return { kind, name: kind === 'tool' || kind === 'prompt' ? key.slice(at + 1) : '' }
}

/** Why they are held: the most serious rule they have in common, in our words. */
export function heldFor(item: Item): string {
  if (item.why === 'limit') return 'Larger than Sallyport inspects'
  if (item.why === 'provider') return 'A required check couldn’t run'
  const found = item.parts.flatMap((part) => part.findings) // in the newest of them
  return (found.find((f) => f.rule === item.rule) ?? worstOf(found))?.title ?? 'Several small signs together'
}

/** "read_mail of mail", for labels: only names that can't carry a sentence. */
export function spokenFrom(item: Item): string {
  const from = cameFrom(item)
  const server = serverName(item.shown || item.server, 'a server')
  return from.name ? `${plainName(from.name, `a ${from.kind}`)} of ${server}` : server
}

export function discardLabel(item: Item): { title: string; label: string } {
  const title = `Discard all ${(item.count ?? 0).toLocaleString('en')}`
  return { title: `${title}…`, label: `${title} responses from ${spokenFrom(item)}` }
}

/** Whether the tool is allowed now, so blocking it makes a difference. */
export const blockable = (item: Item) => item.allowed && cameFrom(item).kind === 'tool' && item.identity !== ''

/** The receipt for a blocked tool. */
export const blockedWords = (item: Item) => `You blocked ${spokenFrom(item)}. ${responses(item.count ?? 0)} of it are still held.`
