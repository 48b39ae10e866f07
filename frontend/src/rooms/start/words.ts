import type { ClientEntry, ClientFile, Looked, Server } from '../../lib/api'

export function serversWord(n: number): string {
  return n === 1 ? '1 server' : `${n} servers`
}

/** What is wrong with a client's file, and what a person can do. */
export function fileWords(file: ClientFile): { title: string; next: string } | null {
  switch (file.state) {
    case 'found':
      return file.total === 0 ? { title: 'No servers yet.', next: 'When you add one, Sallyport blocks it until you review it.' } : null
    case 'absent':
      return { title: `We couldn’t find the settings file of ${file.name}.`, next: `If ${file.name} is installed, open it once, then try again.` }
    case 'denied':
      return { title: 'Your system doesn’t let Sallyport read this file.', next: 'Allow it in your system’s privacy settings, then try again.' }
    case 'unseen':
      return { title: 'Sallyport hasn’t read this file yet.', next: 'Your system may ask you for permission.' }
  }
  const [, line, column] = /\bline (\d+), column (\d+)/.exec(file.why ?? '') ?? []
  const title = line ? `There’s a typo on line ${line}, column ${column}, so Sallyport can’t read the list of servers.` : `Sallyport can’t read the settings file of ${file.name}.`
  return { title, next: 'Fix the file, then try again.' }
}

export type Badge = { words: string; tone: 'ok' | 'info' | 'high' | 'quiet'; ticks: boolean }

/** What would happen to an entry, from the preview of the whole file. */
export function badgeOf(entry: ClientEntry): Badge {
  switch (entry.state) {
    case 'wrapped':
      return { words: 'Will be guarded', tone: 'info', ticks: true }
    case 'guarded':
      return { words: 'Already guarded', tone: 'ok', ticks: false }
    case 'open':
      return { words: 'Not guarded', tone: 'high', ticks: true }
    case 'missing':
      return { words: 'Removed from the file', tone: 'high', ticks: false }
  }
  return { words: 'Can’t be guarded yet', tone: 'high', ticks: false }
}

/** Best first: files with entries that can be guarded here, then existing ones, then missing ones. */
export function rank(file: ClientFile): number {
  const order = ['found', 'unreadable', 'denied', 'unseen', 'absent'].indexOf(file.state)
  return order * 2 + (file.client === 'claude-desktop' ? 0 : 1) + (file.state === 'found' && file.total === 0 ? 1 : 0)
}

export type Step = { state: 'waits' | 'looking' | 'clean' | 'review' | 'failed'; words: string; code: string }

/** The result of a look. warnings: of the pending item, -1 if unknown. */
export function lookedWords(looked: Looked, warnings = -1): Step {
  if (looked.error) return { state: 'failed', words: `Sallyport couldn’t start it: ${looked.error}. It stays blocked.`, code: '' }
  if (looked.code) {
    const found = warnings < 0 ? '' : warnings === 0 ? ', nothing suspicious' : warnings === 1 ? ', 1 warning' : `, ${warnings} warnings`
    const items = looked.items === 1 ? '1 item' : `${looked.items} items`
    return { state: 'review', words: `${looked.items > 0 ? `offers ${items}${found}. ` : ''}Blocked until you review it.`, code: looked.code }
  }
  return { state: 'clean', words: 'allowed, nothing to review.', code: '' }
}

/**
 * The one line of a server after its file was written: the result of the look, and later what the program says. A blocked server is
 * never described as in use.
 */
export function proofOf(step: Step, server: Server | undefined, client: string): Step {
  if (!server || step.state === 'waits' || step.state === 'looking') return step
  switch (server.light.colour) {
    case 'green':
      return { state: 'clean', words: server.light.state === 'guarded' && server.wrappers > 0 ? `${client} uses it through Sallyport now.` : `${server.light.words}.`, code: '' }
    case 'grey':
      return step.state === 'failed' ? step : { state: 'clean', words: `${server.state === 'blocked' ? 'blocked by you' : 'allowed'}. ${server.light.words}.`, code: '' }
  }
  const code = server.code || step.code
  return step.state === 'review' && step.code === code ? step : { state: 'review', words: `${server.light.words}.`, code }
}

/** Shown last, once: a client that reads its file at launch lists the tools only after a restart. */
export function restartWords(client: string, looked: boolean, waiting: number): string {
  if (!looked) return `Restart ${client} last, after your review.`
  return waiting > 0 ? `Review ${waiting === 1 ? 'the server' : 'the servers'}, then restart ${client} once.` : `Restart ${client} to finish.`
}
