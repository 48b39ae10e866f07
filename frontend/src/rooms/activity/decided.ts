import type { ActivityRecord } from '../../lib/api'
import { valueWords } from '../settings/words'
import { durationWords } from './words'

/** One line of what a check found. */
export interface Fact {
  label: string
  words: string
  /** The words can hold names of a server or a program: they are shown as foreign text. */
  foreign?: boolean
}

/** Each check by the name in the record, in the words of the settings page, and the setting that decides what it does. */
const CHECKS: Record<string, { name: string; setting: string }> = {
  output_schema: { name: 'Form of the response', setting: 'output_validation.mode' },
  descriptions: { name: 'What tools say about themselves', setting: 'inspect.descriptions' },
  spotlight: { name: 'Marks around what a server sends', setting: 'spotlight' },
  redact: { name: 'Passwords, keys and tokens', setting: 'redact.mode' },
  interaction: { name: 'Requests from servers', setting: 'interaction.policy' },
  flow: { name: 'What a call passes on', setting: 'flow.policy' },
  ask: { name: 'Calls you decide on', setting: 'tools.mode' },
  sanitizer: { name: 'What Claude reads about a tool', setting: 'sanitizer.profile' },
  ansi: { name: 'Terminal commands', setting: 'sanitizer.ansi' },
  guardrail: { name: 'Extra checks', setting: 'guardrail.on_error' },
  inspect: { name: 'Orders to Claude', setting: 'inspect.on_limit' },
  arguments: { name: 'What was asked for', setting: '' },
  gate: { name: 'What you allowed', setting: '' },
  metadata: { name: 'What tools say about themselves', setting: '' },
  pins: { name: 'Changes of what you allowed', setting: '' },
  first_use: { name: 'New servers', setting: 'pins.first_use' },
  equivocation: { name: 'Changes of what you allowed', setting: '' },
  one_reading: { name: 'Texts with two meanings', setting: '' },
}

interface Vote {
  provider?: unknown
  verdict?: unknown
  duration_ms?: unknown
  score?: unknown
  failed?: unknown
  not_asked?: unknown
}

const VERDICTS: Record<string, string> = { allow: 'found nothing', flag: 'finds it suspicious', block: 'says it is an attack' }

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const count = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a record says about a check, line by line; none if it says no more than which check it was. */
export function factsOf(record: ActivityRecord | null): Fact[] {
  const detail = detailOf(record)
  if (!record || !detail) return []
  const check = CHECKS[text(detail['check'])]
  const facts: Fact[] = []
  if (check) facts.push({ label: 'Check', words: check.name })
  const setting = settingWords(record.mode ?? '', check?.setting ?? '', Array.isArray(detail['guardrails']))
  if (setting) facts.push({ label: 'Your setting', words: setting })
  facts.push(...violationFacts(detail['violation']))
  if (Array.isArray(detail['guardrails'])) facts.push(...detail['guardrails'].filter(isObject).map(voteFact))
  if (text(detail['provider'])) facts.push({ label: 'Checked by', words: text(detail['provider']), foreign: true })
  if (text(detail['item'])) facts.push({ label: 'About', words: text(detail['item']), foreign: true })
  if (text(detail['delivered_as'])) facts.push({ label: 'Name for Claude', words: text(detail['delivered_as']), foreign: true })
  if (count(detail['triggers'])) facts.push({ label: 'Words replaced', words: String(count(detail['triggers'])) })
  if (count(detail['tags'])) facts.push({ label: 'Marks replaced', words: String(count(detail['tags'])) })
  const rules = Array.isArray(detail['rules']) ? detail['rules'].filter((r): r is string => typeof r === 'string') : []
  if (rules.length > 0) facts.push({ label: rules.length === 1 ? 'Rule' : 'Rules', words: rules.map((r) => r.replaceAll('_', ' ')).join(', ') })
  return facts.length > 1 || !check ? facts : []
}

function detailOf(record: ActivityRecord | null): Record<string, unknown> | null {
  try {
    const detail: unknown = JSON.parse(record?.detail ?? '')
    return isObject(detail) ? detail : null
  } catch {
    return null
  }
}

/** The value of the setting that decided. "always": none did. A failed guardrail provider decides where both could. */
function settingWords(mode: string, setting: string, asked: boolean): string {
  switch (mode) {
    case '':
    case 'always':
      return ''
    case 'call':
      return 'None: this call asked for it'
  }
  if (!setting) return mode
  const key = setting === 'inspect.on_limit' && asked && mode !== 'allow' ? 'guardrail.on_error' : setting
  return valueWords({ key }, mode)
}

/** How a response breaks the form that its tool promised: ours is the message, the places are made of names. */
function violationFacts(violation: unknown): Fact[] {
  if (!isObject(violation)) return []
  const more = count(violation['more'])
  return [
    { label: 'What is wrong', words: `${text(violation['message']) || 'It isn’t what the tool promised'}${more ? `, and ${more} more` : ''}`, foreign: false },
    { label: 'Where', words: text(violation['instance']), foreign: true },
    { label: 'Broken promise', words: [text(violation['keyword']), text(violation['schema'])].filter(Boolean).join(' at '), foreign: true },
  ].filter(({ words }) => words)
}

/** The verdict of one guardrail provider. Its own reason is never in a record. */
function voteFact(vote: Vote): Fact {
  const provider = text(vote.provider) || 'unknown'
  const took = durationWords(count(vote.duration_ms) * 1000)
  const label = `Checked by ${/^[a-z0-9_-]{1,32}$/.test(provider) ? provider : 'another program'}`
  if (text(vote.not_asked)) return { label, words: `not asked: ${text(vote.not_asked)}` }
  if (text(vote.failed)) return { label, words: `couldn’t judge it: ${text(vote.failed)}` }
  const said = VERDICTS[text(vote.verdict)] ?? 'gave no verdict'
  return { label, words: took ? `${said}, in ${took}` : said }
}
