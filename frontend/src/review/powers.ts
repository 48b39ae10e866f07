import type { Does, PartDetail, Review } from '../lib/api'

/** What a tool does, in a sentence of ours; its source is shown next to it. */
export function effectWords(does: Does): string {
  switch (does.effect) {
    case 'changes':
      if (does.deletes === 'yes') return 'Changes and deletes things'
      if (does.deletes === 'no') return 'Changes things, deletes nothing'
      return does.basis === 'claim' ? 'Changes things, maybe deletes them' : 'Changes things'
    case 'reads':
      return 'Only reads'
    case 'unsaid':
      return 'Doesn’t say whether it changes things'
  }
}

export const basisWords = (does: Does): string => ({ claim: 'the server claims', names: 'Sallyport’s reading of its name', '': '' })[does.basis]

const TOUCHES: Record<string, string> = {
  commands: 'runs commands', files: 'files', data: 'databases', messages: 'messages', browser: 'browser', payments: 'payments', secrets: 'secrets', outside: 'reaches outside',
}

/** What a tool works on, most serious first. */
export const touchesOf = (does: Does): string[] => does.touches.flatMap((t) => TOUCHES[t] ?? [])

/** A tool's other claims, besides its effect. */
export function claimsOf(does: Does): string[] {
  const out: string[] = []
  if (does.outside === 'yes') out.push('Says it reaches outside (network or other apps).')
  if (does.outside === 'no') out.push('Says it doesn’t reach outside (no network or other apps).')
  if (does.repeat === 'yes') out.push('Says repeating it is harmless.')
  return out
}

/** Why Sallyport looks at where the values of a tool's calls came from. */
export function classesOf(does: Does): string {
  const what = does.classes.join(', ').replace(/, ([^,]*)$/, ' and $1')
  return `It ${what}: before a call, Sallyport looks at where its values came from. You can change that in Settings, under Calls.`
}

export interface Group {
  id: string
  title: string
  parts: PartDetail[]
}

const TITLES: [Does['effect'] | 'rest', string][] = [['changes', 'Changes things'], ['reads', 'Only reads'], ['unsaid', 'Doesn’t say'], ['rest', 'Everything else']]

/** Groups of parts: those of a new server by what they do, changed ones in their order. */
export function groupsOf(review: Review, parts: PartDetail[]): Group[] {
  if (review.kind !== 'new_server' || !review.can) return [{ id: 'all', title: '', parts }]
  return TITLES.map(([id, title]) => ({ id, title, parts: parts.filter((p) => (p.does?.effect ?? 'rest') === id) })).filter((g) => g.parts.length > 0)
}

/**
 * The part to read first: the one with the most serious warning, else the first of the list, but never the one that only identifies the
 * program.
 */
export function firstRead(review: Review, parts: PartDetail[]): PartDetail | undefined {
  const readable = parts.filter((p) => p.kind !== 'launch')
  if (review.kind !== 'new_server' || readable[0]?.findings.length) return readable[0] ?? parts[0]
  return groupsOf(review, readable)[0]?.parts[0] ?? parts[0]
}

/** server text: the first text of a part, "" if it has none */
export const textOf = (part: PartDetail): string => part.changes.find((c) => c.path === (part.kind === 'instructions' ? '' : 'description'))?.after ?? ''
