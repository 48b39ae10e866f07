const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' })

const midnight = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime()
const DAY = 86_400_000

export const stampNow = () => new Date().toISOString()

/** "10:02", "Yesterday 10:02", "3 Nov", "3 Nov 2025". */
export function shortTime(at: string, now: Date): string {
  const then = new Date(at)
  if (Number.isNaN(then.getTime())) return 'unknown'
  const days = Math.round((midnight(now) - midnight(then)) / DAY)
  if (days === 0) return clock.format(then)
  if (days === 1) return `Yesterday ${clock.format(then)}`
  return then.getFullYear() === now.getFullYear() ? day.format(then) : dayAndYear.format(then)
}

export function exactTime(at: string): string {
  const then = new Date(at)
  return Number.isNaN(then.getTime()) ? 'unknown' : exact.format(then)
}

/** "10:02", under a heading that names the day. */
export function clockTime(at: string): string {
  const then = new Date(at)
  return Number.isNaN(then.getTime()) ? '--:--' : clock.format(then)
}

/** "today", "yesterday", "3 Nov", "3 Nov 2025": if the hour doesn't matter. */
export function dayWords(at: string, now: Date): string {
  const then = new Date(at)
  if (Number.isNaN(then.getTime())) return 'on an unknown day'
  const days = Math.round((midnight(now) - midnight(then)) / DAY)
  if (days === 0) return 'today'
  if (days === 1) return 'yesterday'
  return then.getFullYear() === now.getFullYear() ? day.format(then) : dayAndYear.format(then)
}
