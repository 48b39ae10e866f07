import type { Finding, PartDetail, Review } from '../lib/api'

/** A warning with its number on this page, and the part it is about ("" where it is about the server). */
export interface Warning {
  number: number
  finding: Finding
  item: string
}

const RANK: Record<string, number> = { critical: 4, high: 3, medium: 2, low: 1 }

export const rankOf = (f: Finding) => RANK[f.level] ?? 0

/** High or Critical: what asks for a second click. */
export const warns = (findings: Finding[]) => findings.some((f) => rankOf(f) >= 3)

export function worstOf(findings: Finding[]): Finding | undefined {
  return [...findings].sort((a, b) => rankOf(b) - rankOf(a))[0]
}

/** All warnings of a review, the worst part first, numbered as they are shown. */
export function warningsOf(review: Review): Warning[] {
  const all = [
    ...review.findings.map((finding) => ({ finding, item: '' })),
    ...ordered(review.details).flatMap((part) => part.findings.map((finding) => ({ finding, item: part.item }))),
  ]
  return all.map((warning, i) => ({ ...warning, number: i + 1 }))
}

/** Parts as they are read: what concerns the whole server first, then by how much they ask for care. */
export function ordered(parts: PartDetail[]): PartDetail[] {
  const whole = (p: PartDetail) => (p.kind === 'launch' || p.kind === 'instructions' ? 1 : 0)
  const worst = (p: PartDetail) => Math.max(0, ...p.findings.map(rankOf))
  return [...parts].sort((a, b) => worst(b) - worst(a) || whole(b) - whole(a))
}

interface Meaning {
  title?: string
  why: string
}

/** Why it matters, by rule: of our catalogue, never of what was found. */
const MEANING: Record<string, Meaning> = {
  invisible_characters: { why: 'Claude reads characters that you cannot see, so a text can say something else to it than to you.' },
  control_characters: { why: 'Such characters can hide text, turn it around, or write over what stands before them.' },
  ansi_escape: { why: 'In a terminal it can hide or repaint what you read, while Claude reads all of it.' },
  beyond_bounds: { why: 'What is too long or too deep to look at is where something can be hidden.' },
  name_collision: { why: 'Claude could use the wrong one of the two, and you could allow the wrong one.' },
  equivocation: { why: 'It said two different things in one session, so what you read may not be what Claude gets.' },
  unreadable_findings: { why: 'What was found is lost, so it is treated as suspicious.' },
}

export function whyOf(finding: Finding): string {
  if (finding.category === 'secret') return 'Whoever reads this text has the secret.'
  return MEANING[finding.rule]?.why ?? 'It can make Claude do something other than what you asked for.'
}

/** In one sentence, what the worst warning means: for the line below the headline. */
export function verdictOf(finding: Finding): string {
  if (finding.decoded && finding.rule !== 'name_collision') return 'It hides a message from you that Claude reads.'
  switch (finding.rule) {
    case 'invisible_characters':
      return 'It contains characters that you cannot see and Claude reads.'
    case 'control_characters':
      return 'It contains characters that can hide or turn text around.'
    case 'ansi_escape':
      return 'It contains commands that can hide text from you.'
    case 'name_collision':
      return 'It takes a name that belongs to something else.'
    case 'beyond_bounds':
      return 'It is longer or deeper than anybody can look at.'
  }
  return finding.title + '.'
}
