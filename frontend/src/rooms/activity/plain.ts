import type { ActivityRecord, ActivityRow } from '../../lib/api'
import { factsOf } from './decided'
import { durationWords, sizeWords, summaryOf, toldOf } from './words'

/**
 * A record as aligned plain text, for a message to somebody who helps. A server's text is on one line, with hidden characters spelled
 * out.
 */
export function plainBlock(row: ActivityRow, record: ActivityRecord | null): string {
  const lines: [string, string | undefined][] = [
    ['What', `${toldOf(row).word}${row.summary ? `: ${summaryOf(row)}` : ''}`],
    ['When', row.time],
    ['Server', row.server],
    ['Tool', row.tool],
    ['Named', row.named],
    ['Client', row.client],
    ['Item', row.code],
    ['Took', durationWords(row.duration_us)],
    ['Size', sizeWords(row.bytes)],
    ...factsOf(record).map(({ label, words }): [string, string] => [label, words]),
    ['Kind', row.kind],
    ['Status', row.status],
    ['Record', row.id],
    ['Session', record?.session],
    ['Request', record?.request],
    ['Hash', record?.hash],
  ]
  return lines
    .flatMap(([label, words]) => (words ? `${label.padEnd(8)} ${visible(words)}` : []))
    .join('\n')
}

/** The person's own reason for a decision; "" if none was given. */
export function reasonOf(record: ActivityRecord | null): string {
  if (!record || !['approval', 'rejection', 'release'].includes(record.kind)) return ''
  try {
    const detail = JSON.parse(record.detail ?? '') as { reason?: unknown }
    return typeof detail.reason === 'string' ? detail.reason : ''
  } catch {
    return ''
  }
}

interface Payload {
  arguments?: string
  response?: string
  cut?: Record<string, number>
  left_out?: Record<string, number>
}

/** One text that the record of a call keeps (setting activity.payloads), and a note where it is not whole. */
export interface Kept {
  title: string
  text: string
  note: string
}

/** The texts that a record keeps, and what else its detail says. */
export function keptBy(record: ActivityRecord | null): { kept: Kept[]; rest: string } {
  const all = record?.detail ?? ''
  let detail: Record<string, unknown> & { payload?: Payload }
  try {
    detail = JSON.parse(all) as typeof detail
  } catch {
    return { kept: [], rest: all }
  }
  const { payload, ...others } = detail ?? {}
  if (!payload) return { kept: [], rest: all }
  const kept = (['arguments', 'response'] as const).flatMap((name) => {
    const text = payload[name] ?? ''
    const cut = payload.cut?.[name]
    const left = payload.left_out?.[name]
    if (!text && left === undefined) return []
    const note = left !== undefined ? `Too long to keep: at least ${sizeWords(left)}.` : cut ? `Only the beginning is kept, of ${sizeWords(cut)}.` : ''
    return [{ title: name === 'arguments' ? 'What was asked for' : 'What came back', text, note }]
  })
  return { kept, rest: Object.keys(others).length ? JSON.stringify(others, null, 2) : '' }
}

/** Spells out hidden characters, so that the text is harmless wherever it is pasted. */
export function visible(text: string): string {
  return Array.from(text, (c) => (/[\p{C}\p{Zl}\p{Zp}]/u.test(c) ? `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}` : c)).join('')
}
