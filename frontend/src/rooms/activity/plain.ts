import type { ActivityRecord, ActivityRow } from '../../lib/api'
import { durationWords, sentence, sizeWords, toldOf } from './words'

/**
 * A record as aligned plain text, for a message to somebody who helps. A server's text is on one line, with hidden characters spelled
 * out.
 */
export function plainBlock(row: ActivityRow, record: ActivityRecord | null): string {
  const lines: [string, string | undefined][] = [
    ['What', `${toldOf(row).word}${row.summary ? `: ${sentence(row.summary)}` : ''}`],
    ['When', row.time],
    ['Server', row.server],
    ['Tool', row.tool],
    ['Named', row.named],
    ['Client', row.client],
    ['Item', row.code],
    ['Took', durationWords(row.duration_us)],
    ['Size', sizeWords(row.bytes)],
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

/** Spells out hidden characters, so that the text is harmless wherever it is pasted. */
export function visible(text: string): string {
  return Array.from(text, (c) => (/[\p{C}\p{Zl}\p{Zp}]/u.test(c) ? `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}` : c)).join('')
}
