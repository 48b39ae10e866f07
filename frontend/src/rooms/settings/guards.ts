import type { GuardProvider } from '../../lib/api'
import { sentence } from '../activity/words'
import { reasonWords, severalOf, valueWords } from './words'

/** Our own rules: always on, and nobody counts how often they are asked. */
const BUILTIN = 'builtin'

const PROVIDER = 'guardrail.provider'

export const guardName = (guard: Pick<GuardProvider, 'name'>) => valueWords({ key: PROVIDER }, guard.name)

/** Its state in a word. */
export function guardState(guard: GuardProvider): { word: string; tone: 'ok' | 'high' | 'quiet' } {
  if (guard.state === 'paused') return { word: 'Paused', tone: 'high' }
  if (guard.failing) return { word: 'Failing', tone: 'high' }
  if (guard.name === BUILTIN) return { word: 'Always on', tone: 'ok' }
  return guard.state === 'on' ? { word: 'Ready', tone: 'ok' } : { word: 'Off', tone: 'quiet' }
}

/** How often it was asked and how long it takes; "" if there is nothing to count. */
export function guardCounts(guard: GuardProvider): string {
  if (guard.name === BUILTIN || (guard.asked === 0 && (guard.state === 'off' || guard.lacks))) return ''
  if (guard.asked === 0) return 'Not asked yet.'
  const said = [`Asked ${times(guard.asked)}.`]
  if (guard.failed > 0) said.push(`Failed ${times(guard.failed)}.`)
  if (guard.p50_ms > 0) said.push(`Usually takes ${msWords(guard.p50_ms)}.`)
  return said.join(' ')
}

/** Why it can't be asked, failed, or is on only in part; "" if there is nothing to explain. */
export function guardWhy(guard: GuardProvider): string {
  if (guard.lacks) return `${sentence(reasonWords(guard.lacks))}.`
  if (guard.state === 'paused') return `It failed three times in a row, so Sallyport waits 30 seconds before it asks again. Last failure: ${guard.reason}.`
  if (guard.failing) return `Last failure: ${guard.reason}.`
  return guard.state === 'on' && guard.name !== BUILTIN && guard.reason ? `${sentence(guard.reason)}.` : ''
}

/** In the order of the boxes; those that only a file names come last. */
export function inOrder(guards: readonly GuardProvider[]): GuardProvider[] {
  const boxes = severalOf(PROVIDER).map((c) => c.value)
  const place = (g: GuardProvider) => (boxes.includes(g.name) ? boxes.indexOf(g.name) : boxes.length)
  return [...guards].sort((a, b) => place(a) - place(b))
}

const times = (n: number) => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n.toLocaleString('en')} times`)

export function msWords(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}
