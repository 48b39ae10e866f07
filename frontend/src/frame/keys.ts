/** Keyboard shortcuts, as F1 lists them. "Ctrl" is the command key on a Mac. */
export const KEYS: readonly { keys: string[]; does: string; where?: string }[] = [
  { keys: ['Ctrl+1 … 4'], does: 'Inbox, Servers, Activity, Settings' },
  { keys: ['Ctrl+,'], does: 'Settings' },
  { keys: ['Ctrl+F'], does: 'Search in Activity' },
  { keys: ['F1'], does: 'This list' },
  { keys: ['F6', 'Shift+F6'], does: 'Next, previous part of the window: places, list, review, buttons' },
  { keys: ['↑', '↓', 'Home', 'End', 'Enter'], does: 'Move in a list, open', where: 'while the list has the focus' },
  { keys: ['N', 'P'], does: 'Next, previous warning', where: 'while the review has the focus' },
  { keys: ['Ctrl+B'], does: 'Keep blocked' },
  { keys: ['Ctrl+Shift+A'], does: 'Move to the Allow button (you still press it)' },
  { keys: ['Ctrl+Z'], does: 'Take the last decision back, for 10 minutes' },
  { keys: ['Esc'], does: 'Close, or go back to the list' },
]

export const onMac = () => /Mac/.test(navigator.platform)

export const keyWords = (keys: string) => (onMac() ? keys.replace('Ctrl+', '⌘ ') : keys)

/** Moves the focus in a list with the arrow keys, Home and End. */
export function moveInList(e: KeyboardEvent, what: string): void {
  const rows = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(what)]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  if (at < 0 || e.ctrlKey || e.metaKey || e.altKey) return
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[e.key]
  const row = to === undefined ? undefined : rows[to]
  if (!row) return
  e.preventDefault()
  row.focus()
}

/** The panes, in order: places, list, review, decisions. */
export function nextPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((p) => target(p))
  const inside = panes.filter((p) => p.contains(document.activeElement)).at(-1)
  const next = panes[((inside ? panes.indexOf(inside) : -step) + step + panes.length) % panes.length]
  if (next) target(next)?.focus()
}

/** Its headline, else the current element in it, else the first button. */
function target(pane: HTMLElement): HTMLElement | undefined {
  for (const what of ['h1', 'a[aria-current]', 'a, button:enabled, input']) {
    const found = pane.querySelector<HTMLElement>(what)
    if (found) return found
  }
  return undefined
}
