import type { ActivityRow } from '../../lib/api'
import { changedWords } from '../settings/words'

/** The look of a row: only what was blocked, held or failed has colour. */
export type Tone = 'plain' | 'blocked' | 'held' | 'problem' | 'changed' | 'mine'

export interface Told {
  word: string
  tone: Tone
}

const BY_KIND: Record<string, Told> = {
  server_start: { word: 'Started', tone: 'plain' },
  server_stop: { word: 'Stopped', tone: 'plain' },
  drift: { word: 'Changed', tone: 'changed' },
  quarantine: { word: 'Held', tone: 'held' },
  release: { word: 'Released by you', tone: 'mine' },
  approval: { word: 'Allowed by you', tone: 'mine' },
  rejection: { word: 'Blocked by you', tone: 'mine' },
  config_change: { word: 'Settings', tone: 'plain' },
  guard_problem: { word: 'Problem', tone: 'problem' },
}

/** The outcome of a held response. */
const HELD: Record<string, Told> = {
  ok: { word: 'Delivered', tone: 'plain' },
  blocked: { word: 'Not delivered', tone: 'held' },
  warned: { word: 'May have arrived', tone: 'problem' },
}

/** What clients read and servers ask for, by outcome. */
const TRAFFIC: Record<string, { ok: string; error: string; blocked: string; held: string }> = {
  resource_read: { ok: 'Read', error: 'Read failed', blocked: 'Read blocked', held: 'Read held' },
  prompt_get: { ok: 'Prompt used', error: 'Prompt failed', blocked: 'Prompt blocked', held: 'Prompt held' },
  sampling: { ok: 'Asked Claude', error: 'Asked Claude, no reply', blocked: 'Request blocked', held: 'Request held' },
  elicitation: { ok: 'Asked you', error: 'Asked you, no reply', blocked: 'Question blocked', held: 'Question held' },
}

/** What happened, in one to three words. */
export function toldOf(row: Pick<ActivityRow, 'kind' | 'status' | 'mode' | 'summary'>): Told {
  const summary = row.summary ?? ''
  if (row.kind === 'approval' && row.mode === 'trust-clean') return { word: 'Allowed unread', tone: 'problem' }
  if (summary.startsWith('a new server:')) return { word: 'New server', tone: 'changed' }
  if (row.kind === 'config_change' && summary.includes("a client's file")) return { word: 'File changed', tone: 'plain' }
  if (row.kind === 'quarantine' && row.status !== 'held') return HELD[row.status] ?? { word: 'Held', tone: 'held' }
  if (row.kind === 'rejection' && summary.includes('discarded a held response')) return { word: 'Discarded by you', tone: 'mine' }
  if (row.kind === 'rejection' && summary.includes('ended an exception')) return { word: 'Exception ended', tone: 'mine' }
  if (row.kind === 'approval' && /made \d+ exceptions?:/.test(summary)) return { word: 'Exception by you', tone: 'mine' }
  const known = BY_KIND[row.kind]
  if (known) return known
  const traffic = TRAFFIC[row.kind]
  switch (row.status) {
    case 'blocked':
      return { word: traffic?.blocked ?? 'Blocked', tone: 'blocked' }
    case 'held':
      return { word: traffic?.held ?? 'Held', tone: 'held' }
    case 'warned':
      return { word: 'Warning', tone: 'problem' }
    case 'error':
      return { word: traffic?.error ?? 'Ran, failed', tone: 'plain' }
  }
  if (traffic) return { word: traffic.ok, tone: 'plain' }
  return { word: row.kind === 'tool_call' ? 'Ran' : 'Noted', tone: 'plain' }
}

/** What the window says of checks whose summaries have words that only the command line uses, by check and kind; the record's detail has the rest. */
const PLAINER: ReadonlyMap<string, string> = new Map([
  ['output_schema policy_decision', 'its response isn’t what the tool promised'],
  ['output_schema tool_call', 'its response was blocked: it isn’t what the tool promised'],
  ['output_schema guard_problem', 'its responses can’t be compared with what it promises'],
])

/** A record's summary as a sentence, in plain words. */
export function summaryOf(row: Pick<ActivityRow, 'kind' | 'check' | 'summary'>): string {
  return sentence(PLAINER.get(`${row.check} ${row.kind}`) ?? row.summary)
}

/** One setting that was changed, and by whom, in the words of the settings page; "" for everything else. */
function settingWords(summary: string): string {
  const [, change = '', how = ''] = /^([a-z_.]+: .*)( \([^()]*\))$/.exec(summary) ?? []
  const words = change && changedWords(change)
  return words && words + how
}

/** Starts our words like a sentence, without hidden characters, whatever their source. */
export function sentence(words = ''): string {
  const plain = settingWords(words) || words
  const seen = plain.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
  return seen.charAt(0).toUpperCase() + seen.slice(1)
}

export function durationWords(us = 0): string {
  if (us <= 0) return ''
  if (us < 1000) return '<1 ms'
  const ms = us / 1000
  if (ms < 100) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

export function sizeWords(bytes = 0): string {
  if (bytes <= 0) return ''
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} kB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
