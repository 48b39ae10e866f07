import type { ActivityRow } from '../../lib/api'

/** Rows that say the same, folded into one line. A single row is a group of one. */
export interface Group {
  /** Stable while the group is on screen, whatever is added on either side. */
  key: string
  /** newest first */
  rows: [ActivityRow, ...ActivityRow[]]
}

export interface Day {
  /** local midnight */
  start: number
  groups: Group[]
}

const WINDOW = 10 * 60_000

/**
 * Calls, reads and requests that went well, and changes, fold per server within the same ten minutes of the clock. The windows follow
 * the clock rather than the rows, so that a group does not fall apart when rows are added above or below it.
 */
export function groupsOf(rows: readonly ActivityRow[]): Group[] {
  const groups: Group[] = []
  const open = new Map<string, Group>()
  for (const row of rows) {
    const key = foldKey(row)
    const group = key === '' ? undefined : open.get(key)
    if (group) {
      group.rows.push(row)
      continue
    }
    const fresh: Group = { key: key || row.id, rows: [row] }
    groups.push(fresh)
    if (key) open.set(key, fresh)
  }
  return groups
}

/** Kinds with a row for each request. */
const TRAFFIC = ['tool_call', 'resource_read', 'prompt_get', 'sampling', 'elicitation']

function foldKey(row: ActivityRow): string {
  const folds = row.server && ((TRAFFIC.includes(row.kind) && row.status === 'ok') || row.kind === 'drift')
  if (!folds) return ''
  const time = new Date(row.time)
  const local = time.getTime() - time.getTimezoneOffset() * 60_000
  return `${row.kind} ${row.status} ${Math.floor(local / WINDOW)} ${row.shown}`
}

export function daysOf(groups: readonly Group[]): Day[] {
  const days: Day[] = []
  for (const group of groups) {
    const time = new Date(group.rows[0].time)
    const start = new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
    const last = days.at(-1)
    if (last?.start === start) last.groups.push(group)
    else days.push({ start, groups: [group] })
  }
  return days
}
