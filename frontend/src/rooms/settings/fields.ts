import type { Setting } from '../../lib/api'

/** What a value is made of, as a person types it. */
export type FieldKind = 'time' | 'size' | 'number' | 'text' | 'lines'

/** A value taken apart: a number and its unit, or a text. */
export interface Field {
  text: string
  /** One of UNITS; "" where there are none. */
  unit: string
}

/** The unit of a time that is switched off. */
export const OFF = 'off'

export const UNITS: Record<FieldKind, readonly { unit: string; name: string }[]> = {
  time: [{ unit: 'ms', name: 'milliseconds' }, { unit: 's', name: 'seconds' }, { unit: 'm', name: 'minutes' }, { unit: 'h', name: 'hours' }, { unit: 'd', name: 'days' }],
  size: [{ unit: 'B', name: 'bytes' }, { unit: 'KiB', name: 'KiB' }, { unit: 'MiB', name: 'MiB' }, { unit: 'GiB', name: 'GiB' }],
  number: [],
  text: [],
  lines: [],
}

const MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The kind of a typed value, by the table's own words for what it can be. */
export function kindOf(setting: Pick<Setting, 'values'>, known?: FieldKind): FieldKind {
  if (known) return known
  if (setting.values.startsWith('a duration')) return 'time'
  if (setting.values.startsWith('a size')) return 'size'
  return setting.values.startsWith('a number') ? 'number' : 'text'
}

/** "2160h" is 90 days, "64MiB" is 64 MiB; off is an empty text, or a time with the unit "off". */
export function fieldOf(value: string, kind: FieldKind): Field {
  switch (kind) {
    case 'time':
      return value === OFF ? { text: '', unit: OFF } : timeOf(value)
    case 'size': {
      const [, text = value, unit = 'B'] = /^(\d+)([KMG]iB)$/.exec(value) ?? []
      return { text, unit }
    }
    case 'number':
      return { text: value, unit: '' }
    case 'lines':
      return { text: value === OFF ? '' : linesOf(value), unit: '' }
    case 'text':
      return { text: value === OFF ? '' : value, unit: '' }
  }
}

/** The value that a person has typed, in the spelling of the settings. What is more than a number has a unit of its own, or is refused by the program. */
export function valueOf(field: Field, kind: FieldKind): string {
  const text = field.text.trim()
  const bare = /^\d*[.,]?\d*$/.test(text)
  switch (kind) {
    case 'time':
      if (field.unit === OFF) return OFF
      if (!bare || text === '') return text
      return field.unit === 'd' ? `${Number(text.replace(',', '.')) * 24}h` : `${text.replace(',', '.')}${field.unit}`
    case 'size':
      return field.unit === 'B' || !bare ? text : `${text}${field.unit}`
    case 'number':
      return text
    case 'lines': {
      const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '')
      return lines.length ? JSON.stringify(lines) : OFF
    }
    case 'text':
      return text || OFF
  }
}

/** A time in the largest unit that keeps the number whole. Days begin at two, as in our sentences. */
function timeOf(value: string): Field {
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== value) return { text: value, unit: 's' }
  const ms = parts.reduce((sum, [, n, unit]) => sum + Number(n) * (MS[unit ?? 's'] ?? 0), 0)
  if (ms === 0) return { text: '0', unit: 's' }
  const unit = ['d', 'h', 'm', 's'].find((u) => ms % (MS[u] ?? 1) === 0 && (u !== 'd' || ms >= 2 * 86_400_000)) ?? 'ms'
  return { text: String(ms / (MS[unit] ?? 1)), unit }
}

function linesOf(value: string): string {
  try {
    const words: unknown = JSON.parse(value)
    return Array.isArray(words) ? words.join('\n') : value
  } catch {
    return value
  }
}

/** The id of a setting's row. */
export const rowId = (key: string) => `set-${key.replaceAll('.', '-').replaceAll('_', '-')}`
