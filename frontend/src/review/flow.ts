import type { CallFlow } from '../lib/api'
import { hashOf } from '../lib/route'

/** Where the records of the requests are that a value may have come from. What a server sent by itself has no name there. */
export function recordsOf(from: CallFlow['from'][number]): string {
  const name = from.request ? (from.tool ?? '').replace(/^(prompt|resource|resource-template):/, '') : ''
  return hashOf('activity', '', { server: from.server, ...(name ? { text: name } : {}) })
}

/** The name of the argument in which a place is: the first part of a JSON Pointer (RFC 6901). */
export function argumentAt(place: string): string {
  return (place.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
}

/** What a rule of docs/flow.md found, in words. */
export function ruleWords(one: Pick<CallFlow, 'rule' | 'overflowed' | 'kind'>): string {
  if (one.overflowed) return 'No response is known to have held it, but not all is known any more of what servers said, and you have never used it.'
  switch (one.rule) {
    case 1: return `This ${one.kind} came out of a response, and you have never used it. The call would pass something on to it.`
    case 2: return 'It came out of a response, and you have never used it. The call can’t be taken back.'
    case 3: return 'A response ordered what this tool does.'
    case 4: return 'The call sets a password, a key, a role or a permission.'
    case 5: return 'The call would contact a host that came out of a response, or carry something out of a response to one.'
    default: return 'It is a secret that came out of another server’s response.'
  }
}
