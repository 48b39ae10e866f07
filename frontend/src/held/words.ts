import type { GuardVerdict, Held, HeldAllDone, Review } from '../lib/api'
import { verdictOf, worstOf } from '../review/findings'
import type { Headline } from '../review/headline'

/** Whether it needs a decision: none was made, or it ran out. */
export const waits = (held: Held) => held.state === 'waiting' || held.state === 'expired'

/** The kind of response, in a word. */
export function nounOf(held: Held): string {
  return { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'resource' }[held.method] ?? 'request'
}

export function heldSubject(review: Review, held: Held): Partial<Headline> {
  const what = held.error ? 'Error' : 'Response'
  return { before: `${what} from `, server: review.shown || review.server, part: held.name, after: ' held for review' }
}

/** One sentence: why it is held. */
export function heldVerdict(review: Review, held: Held): string {
  if (held.why === 'limit') return 'It is too large to check. That alone isn’t a sign of danger.'
  if (held.why === 'provider') return 'A required check couldn’t run. That alone isn’t a sign of danger.'
  const worst = worstOf(review.findings)
  return worst ? verdictOf(worst) : 'Several small signs together look like an order to Claude.'
}

/** Text after the time since which it is held. */
export function heldSince(held: Held): string {
  return held.unsure ? '' : 'Claude hasn’t seen it.'
}

/** What happens if the person does nothing. */
export function heldNothing(held: Held, now: Date): string {
  if (held.state === 'released') return 'If Claude doesn’t collect it in 15 minutes, it’s held again.'
  if (!held.kept) return 'Its text is gone, so it can’t be released. You can only take it off this list.'
  const left = leftWords(held.expires ?? '', now)
  const then = held.unsure ? 'it isn’t delivered again' : 'Claude never sees it'
  return `If you do nothing, ${then}.${left ? ` It is deleted in ${left}.` : ''}`
}

/** "23 h", "14 min", "40 s": rounded up; "" if over or unknown. */
export function leftWords(until: string, now: Date): string {
  const left = new Date(until).getTime() - now.getTime()
  if (Number.isNaN(left) || left <= 0) return ''
  const minutes = left / 60_000
  if (minutes < 1) return `${Math.ceil(left / 1000)} s`
  if (minutes < 60) return `${Math.ceil(minutes)} min`
  const hours = minutes / 60
  return hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} days`
}

/** "14:32", "1:02:05": time left. */
export function countdown(until: string, now: Date): string {
  const seconds = Math.max(0, Math.ceil((new Date(until).getTime() - now.getTime()) / 1000))
  if (!Number.isFinite(seconds)) return ''
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest.replace(/^0/, '')
}

export function sizeOf(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** What an extra check said about a response, or why it said nothing. */
export function guardWords(guard: GuardVerdict): string {
  if (guard.unasked) return `not asked: ${guard.unasked}`
  if (!guard.verdict) return `couldn’t judge it: ${guard.failed ?? ''}`
  const said = { allow: 'found nothing', flag: 'finds it suspicious', block: 'says it is an attack' }[guard.verdict]
  const took = `${((guard.duration_us ?? 0) / 1000).toFixed(1)} ms`
  return `${said} (score ${(guard.score ?? 0).toFixed(2)}, ${took})${guard.failed ? `, then it failed: ${guard.failed}` : ''}`
}

/** Which of its own checks LlamaFirewall ran, and why others did not run. */
export function scannerWords(guard: GuardVerdict): string[] {
  const ran = guard.ran ?? []
  const not = Object.entries(guard.not_run ?? {}).map(([name, why]) => `${name} not run: ${why}`)
  return ran.length ? [`Ran: ${ran.join(', ')}`, ...not] : not
}

/** "1,001 responses", "1 response". */
export const responses = (n: number) => (n === 1 ? '1 response' : `${n.toLocaleString('en')} responses`)

/** The result of discarding everything in an item. */
export function discardedAll(done: HeldAllDone): string {
  const said = [`You discarded ${responses(done.discarded)}.`]
  if (done.meanwhile > 0) said.push(`${done.meanwhile.toLocaleString('en')} had already been decided.`)
  if (done.came > 0) said.push(`${responses(done.came)} arrived since then and ${done.came === 1 ? 'is' : 'are'} still held.`)
  return said.join(' ')
}

/** What a person can say to Claude after a release. */
export const SAY = 'Try that again, please — the response is released.'
