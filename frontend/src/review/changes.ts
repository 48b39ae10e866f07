import type { Change, PartDetail } from '../lib/api'

/** Changes of one part in reading order: texts first, then inputs, then the rest. */
export interface Sections {
  texts: Change[]
  groups: { id: string; title: string; aside: string; rows: Change[] }[]
  /** Details only programs read: the dialect of a schema, how it is run, attached metadata. */
  technical: Change[]
}

const TECHNICAL = /(^|\.)(\$schema|\$id|\$comment|\$anchor|additionalProperties)$|^(execution|_meta|icons)([.[]|$)/
/** For a new item, the mere presence of a schema means nothing. */
const EMPTY = /^(inputSchema|outputSchema|annotations|arguments)$/

/** Where a skill’s text is: what it tells Claude. */
export const SKILL_TEXT = 'SKILL.md'

/** Where a page’s source is. */
const PAGE_SOURCE = /^bodies\[\d+\]\.source$/

const TEXT = /(^|\.|\])(description|title)$|^$|^SKILL\.md$/

/** A text of the item itself, and not of one of its fields. */
export const ofItself = (path: string) => path === SKILL_TEXT || path === 'frontmatter.description' || PAGE_SOURCE.test(path) || !/[.[]/.test(path)

/** A text is compared word by word. The headline already shows names. */
export function isText(change: Change): boolean {
  return Boolean(change.text?.length || (TEXT.test(change.path) && (change.before || change.after)))
}

const GROUPS: { id: string; test: RegExp; title: string; aside: string }[] = [
  { id: 'reach', test: /^(contents|entry)\b.*_meta/, title: 'Changes to what it may do', aside: '' },
  { id: 'inputs', test: /^(inputSchema|arguments)/, title: 'Inputs', aside: 'what Claude can send' },
  { id: 'answers', test: /^outputSchema/, title: 'Responses', aside: 'what it says it returns' },
  { id: 'front', test: /^frontmatter/, title: 'What it says about itself', aside: 'a server can claim anything' },
  { id: 'files', test: /^resources/, title: 'Files', aside: 'Claude reads them one by one' },
  { id: 'claims', test: /^annotations/, title: 'What the server claims', aside: 'a server can claim anything' },
]

export function sectionsOf(part: PartDetail): Sections {
  const isProgram = ['launch', 'entry', 'setting', 'store'].includes(part.kind)
  const isRequest = part.kind === 'interaction' // its rows keep their order: the host of a link comes before the link
  const texts = isProgram || isRequest ? [] : part.changes.filter(isText)
  const isTechnical = (c: Change) => !isProgram && (TECHNICAL.test(c.path) || (part.approved === '' && EMPTY.test(c.path)))
  const all = part.changes.filter((c) => (isProgram || isRequest || !isText(c)) && c.path !== 'name')
  const rest = all.filter((c) => !isTechnical(c))
  const groups = GROUPS.map((g) => ({ id: g.id, title: g.title, aside: g.aside, rows: rest.filter((c) => g.test.test(c.path)) }))
  groups.push({ id: 'other', title: isProgram ? 'What changed' : isRequest ? 'What it asks' : 'Other', aside: '', rows: rest.filter((c) => !GROUPS.some((g) => g.test.test(c.path))) })
  return { texts, groups: groups.filter((g) => g.rows.length > 0), technical: all.filter(isTechnical) }
}

/** The words of a row; its mark already says added or removed. */
export function rowWords(change: Change): string {
  const words = change.words.replace(/^(added|removed)(: |, )/, '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The title above a text. The server's names are between backticks. */
export function textTitle(change: Change): string {
  if (change.path === '') return 'Instructions'
  const words = change.words.replace(/^(added|removed): /, '').replace(/ changed(;.*)?$/, '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
