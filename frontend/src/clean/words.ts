import type { CleanDecided, CleanServer, Item } from '../lib/api'
import { countedWords } from '../lib/kinds'
import type { Outcome } from '../review/outcome'
import { serverName } from '../untrusted/names'

/** How many new servers could be allowed whole without warnings. */
export const cleanCount = (waiting: readonly Item[]): number => waiting.filter((item) => item.clean).length

/** "Allow the 3 servers without warnings". */
export const allowLabel = (n: number): string => (n === 1 ? 'Allow the server without warnings' : `Allow the ${n} servers without warnings`)

/** What a server offers, in numbers: tools, and the kinds of everything else it declares. */
export const offers = (server: CleanServer): string => countedWords(server.tools, server.parts)

/** The variables a server was started with that can load code into it, and those that are filled in with a stored secret. */
export function loadersOf(server: CleanServer): string {
  const [secrets, code] = [true, false].map((filled) => server.loaders.filter((name) => name.includes('=keychain:') === filled)) as [string[], string[]]
  const loads = code.length === 0 ? '' : `${code.join(', ')} ${code.length === 1 ? 'is' : 'are'} set and can load code into it.`
  const gets = secrets.length === 0 ? '' : `It gets ${secrets.length === 1 ? 'a stored secret' : 'stored secrets'}: ${secrets.join(', ')}.`
  return [loads, gets].filter(Boolean).join(' ')
}

/** A command as a readable line. */
export const commandOf = (server: { url?: string; command?: string[] }): string =>
  server.url || (server.command ?? []).map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')

/** The receipt. */
export function allowedWords(done: CleanDecided): string {
  const names = done.items.map((one) => serverName(one.server, 'a server'))
  if (names.length === 0) return 'Nothing was allowed: every server on the list changed since you read it.'
  const last = names.pop() ?? ''
  const all = names.length > 0 ? `${names.join(', ')} and ${last}` : last
  const left = done.left.length
  return `You allowed ${all}.${left > 0 ? ` ${left === 1 ? '1 server was' : `${left} servers were`} left out.` : ''}`
}

/** The decision for the receipt. Undo takes all of it back. */
export function outcomeOf(done: CleanDecided): Outcome {
  const [first, ...also] = done.items.map(({ code, identity, approved }) => ({ code, identity, items: approved.filter((item) => item !== 'launch') }))
  return { code: first?.code ?? '', identity: first?.identity ?? '', did: 'allowed', items: first?.items ?? [], also, words: allowedWords(done), next: '', undo: first !== undefined, newServer: true }
}
