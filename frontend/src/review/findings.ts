import type { Finding, PartDetail, Review } from '../lib/api'
import { partKey } from './forms'
import { passagesOf } from './passages'

/** One passage of a text that rules object to, with its number on this page. */
export interface Warning {
  number: number
  /** The most serious finding in it. */
  finding: Finding
  /** The others, most serious first. */
  more: Finding[]
  /** Bytes of the text at finding.where; equal if it has no place there. */
  start: number
  end: number
  /** The key of the part it is about, "" for the server. */
  item: string
  /** Indexes of its findings over the whole page: the server's first, then those of the parts in reading order. */
  indexes: number[]
}

const RANK: Record<string, number> = { critical: 4, high: 3, medium: 2, low: 1 }

export const rankOf = (f: Finding) => RANK[f.level] ?? 0

/** Low throughout: words that attacks use too, too little for a warning. It is shown folded. */
export const isSign = (findings: readonly Pick<Finding, 'level'>[]) => findings.length > 0 && findings.every((f) => f.level === 'low')

/** The findings of each passage that is only a weak sign. */
export function signsOf(findings: readonly Finding[], passages: readonly (readonly number[])[]): Finding[] {
  return foundIn(findings, passages).filter(isSign).flat()
}

/** The findings of each passage that is a warning. */
export function warnedOf(findings: readonly Finding[], passages: readonly (readonly number[])[]): Finding[][] {
  return foundIn(findings, passages).filter((found) => !isSign(found))
}

const foundIn = (findings: readonly Finding[], passages: readonly (readonly number[])[]) =>
  passagesOf(findings.length, passages).map((passage) => passage.flatMap((i) => findings[i] ?? []))

/** High or Critical: needs a second click. */
export const warns = (findings: Finding[]) => findings.some((f) => rankOf(f) >= 3)

export function worstOf(findings: Finding[]): Finding | undefined {
  return [...findings].sort((a, b) => rankOf(b) - rankOf(a))[0]
}

/** All warnings of a review, the worst part first, numbered in the order shown. */
export function warningsOf(review: Review): Warning[] {
  const out: Warning[] = []
  let before = 0
  for (const about of [{ item: '', findings: review.findings, passages: review.passages }, ...ordered(review.details)]) {
    const { findings, passages } = about
    for (const passage of passagesOf(findings.length, passages)) {
      const found = passage.flatMap((i) => findings[i] ?? [])
      if (!isSign(found)) out.push({ ...warningOf(found), number: out.length + 1, item: partKey(about), indexes: passage.map((i) => before + i) })
    }
    before += findings.length
  }
  return out
}

/** All findings, merged ones included. */
export const findingsOf = (warnings: readonly Warning[]): Finding[] => warnings.flatMap((w) => [w.finding, ...w.more])

function warningOf(findings: Finding[]): Pick<Warning, 'finding' | 'more' | 'start' | 'end'> {
  const [finding, ...more] = findings
  if (!finding) throw new Error('a passage without a finding')
  return { finding, more, start: Math.min(...findings.map((f) => f.start)), end: Math.max(...findings.map((f) => f.end)) }
}

/** Parts in reading order: those about the whole server first, then the most serious. */
export function ordered(parts: PartDetail[]): PartDetail[] {
  const whole = (p: PartDetail) => (p.kind === 'launch' || p.kind === 'instructions' ? 1 : 0)
  const worst = (p: PartDetail) => Math.max(0, ...p.findings.map(rankOf))
  return [...parts].sort((a, b) => worst(b) - worst(a) || whole(b) - whole(a))
}

interface Meaning {
  why: string
  /** In a response, if the meaning differs there. */
  answer?: string
}

/** Why it matters, by rule: from our catalogue, never from the text. */
const MEANING: Record<string, Meaning> = {
  invisible_characters: { why: 'Claude reads characters that you cannot see, so a text can say something else to it than to you.' },
  control_characters: { why: 'Such characters can hide text, turn it around, or overwrite what is before them.' },
  ansi_escape: { why: 'In a terminal it can hide or repaint what you read, while Claude reads all of it.' },
  beyond_bounds: { why: 'Something can be hidden where Sallyport can’t check.' },
  not_looked_at: { why: 'Sallyport couldn’t check it, so it can’t tell what is in it.' },
  name_collision: { why: 'Claude could use the wrong one of the two, and you could allow the wrong one.' },
  no_one_reading: { why: 'Your client could read it differently from what you see here.' },
  skill_mismatch: { why: 'What Claude reads would not be what you allowed, so it stays blocked.' },
  header_argument: { why: 'No call of it could be sent to the server, so it stays blocked.' },
  unpinned_skill: { why: 'Claude follows what a skill says. This one can say something else each time, and only Sallyport’s rules look at it then.' },
  skill_grants: { why: 'Some clients follow such fields: the skill, not you, would decide what Claude may do without asking.' },
  skill_name: { why: 'Claude, or you, could take one skill for the other.' },
  impersonation: { why: 'You and Claude could mistake the server’s words for Sallyport’s.' },
  varying_page: { why: 'What you see now is not what you will see next time. Sallyport looks for orders in it at each read, but can’t compare it.' },
  page_asks_secret: { why: 'Whoever runs the server gets what you type into its page.' },
  page_any_host: { why: 'The page can send what it knows to many hosts, some of which may belong to someone else.' },
  page_plain_http: { why: 'Others on the network can read and change what goes there.' },
  page_odd_host: { why: 'A client that takes it as it is could lift every limit of the page.' },
  page_permission: { why: 'The page could watch, hear or find you while it is open, if the client allows it.' },
  equivocation: { why: 'It said two different things in one session, so what you read may not be what Claude gets.' },
  instruction_override: { why: 'Claude could drop what you told it and do what the server wants.' },
  instruction_override_short: { why: 'Claude could drop what it was told before and do what comes next.' },
  override_many_languages: { why: 'Claude reads every language, and could drop what you told it.' },
  context_wipe: { why: 'Claude could lose what you told it, your limits included.' },
  instruction_injection: { why: 'Claude could mistake the server’s task for yours.' },
  role_hijack: { why: 'In another role, Claude may do things it would otherwise refuse.' },
  role_play: { why: 'Role-play is a common way to get around refusals.' },
  role_suggestion: { why: 'Claude could take it for a thought of its own.' },
  delimiter_attack: { why: 'Claude could mistake the server’s words for yours, or for those of the program it runs in.' },
  markdown_injection: { why: 'Claude could mistake the block for words of the program it runs in.' },
  xml_injection: { why: 'Claude could mistake what is between such tags for instructions.' },
  bracket_injection: { why: 'Claude could mistake the server’s words for those of the program it runs in.' },
  boundary_tag: { why: 'Claude tends to follow what looks like a system message. A description needs no such tags.', answer: 'Claude tends to follow what looks like a system message.' },
  fake_speaker: { why: 'Claude could mistake the server’s words for those of the program it runs in.' },
  html_comment_order: { why: 'You don’t see a comment on a page. Claude reads it.' },
  addressed_to_assistant: { why: 'A description is for finding the tool. Orders to Claude are yours to give.', answer: 'A response is for you to read. Orders to Claude are yours to give.' },
  message_to_assistant: { why: 'Claude could mistake the server’s words for yours.' },
  your_answer: { why: 'What Claude tells you is not for the server to write.' },
  prerequisite: { why: 'Claude could do something first that you never asked for.' },
  tool_order: { why: 'Claude could use another tool that you never asked for.' },
  concealment: { why: 'You can’t stop what you don’t know about.' },
  private_thing_sent: { why: 'Claude could send something of yours to somebody who should not have it.' },
  pretended_user: { why: 'Claude could take it for your own words.' },
  pretended_consent: { why: 'Claude could do without a word to you what you would be asked about.' },
  ordered_assistant: { why: 'What a server sends is there to be read. It has no orders to give.' },
  pretended_end: { why: 'Claude could drop what you asked for and do what comes next.' },
  sensitive_source: { why: 'Anyone who gets what is stored there can act as you.' },
  secret_taken: { why: 'Claude could read or pass on what only you should have.' },
  system_access: { why: 'It would show whoever runs the server what Claude was told in confidence.' },
  prompt_extraction: { why: 'It would show whoever runs the server what Claude was told.' },
  way_out: { why: 'Claude could send something of yours there.' },
  slot_in_address: { why: 'Where the image is shown, its address is called, with something of yours in it.' },
  script_in_markup: { why: 'What shows it could run the script, with your rights there.' },
  hidden_argument: { why: 'Whoever runs the server gets all that a call carries.' },
  argument_rewrite: { why: 'The call could do something you didn’t ask for: pay another account, write to someone else.' },
  attention_hijack: { why: 'Pressure makes Claude follow what it would otherwise question.' },
  false_reason: { why: 'A reason makes Claude follow what it would otherwise refuse.' },
  exclusive_tool: { why: 'What you do with other tools would go through this server.' },
  privilege_escalation: { why: 'Claude could do more than you meant to let it.' },
  guard_lifted: { why: 'Without the check, things happen without asking you.' },
  config_override: { why: 'Your settings are not for a server to change.' },
  mode_switch: { why: 'There is no such mode. It is a way to make Claude drop its limits.' },
  shell_payload: { why: 'If it runs on this computer, someone else controls it.' },
  persistence: { why: 'It would keep running after the call you asked for.' },
  changes_later: { why: 'What you allow today could do something else tomorrow.', answer: 'What comes next could differ from what you see here.' },
  overt_harm: { why: 'It names what attackers do. Be sure that this is what you want it for.', answer: 'It names what attackers do.' },
  retry_loop: { why: 'Claude could call it without end.' },
  asks_for_secret: { why: 'Whoever runs the server gets what you type. No form of a server may ask for this.' },
  asks_for_payment: { why: 'Whoever runs the server gets what you type. Pay on a page that you opened yourself.' },
  unsafe_link: { why: 'You could end up on a page that only looks like the one you expect.' },
  unreviewed_page: { why: 'The server draws this page, and you haven’t looked at it yet. Allow the page first.' },
  include_context: { why: 'The server would get what you told Claude, about this server or about other things.' },
  sampling_tools: { why: 'Claude would use tools that you have not reviewed.' },
  tool_imitation: { why: 'Claude could use this tool where you expect the other server’s.' },
  guardrail_failed: { why: 'You asked for that check, and it couldn’t say whether this is safe. That alone isn’t a sign of danger.' },
  look_alike_name: { why: 'You can’t see that it isn’t the name it looks like, and Claude could use the wrong one.' },
  not_a_schema: { why: 'Claude can’t tell what this tool needs, and one such tool can cost it every tool of the server. Sallyport gives Claude an empty form instead, unless you turned that off.' },
  odd_schema: { why: 'Claude could lose every tool of this server because of it. Sallyport leaves it out of what Claude gets, unless you turned that off.' },
  output_schema: { why: 'Sallyport can’t compare its responses with what it promises. Everything else is still checked.' },
  shadowing: { why: 'A server has no business with another server’s tools. Claude could use them in ways you didn’t ask for.' },
  context_parameter: { why: 'Claude could fill in what you talked about, and whoever runs the server gets it.' },
  grown_description: { why: 'Orders to Claude are easier to hide in a long text.' },
  markup: { why: 'A page that shows it could hide a part of it, or load something from elsewhere.' },
  encoded_text: { why: 'You can’t read it as it is, but Claude can.' },
  unreadable_findings: { why: 'Sallyport lost its warnings, so treat it as suspicious.' },
}

export function whyOf(finding: Finding, answer = false): string {
  if (finding.category === 'secret') return 'Whoever reads this text has the secret.'
  if (finding.rule.startsWith('guardrail:')) return 'Sallyport’s own rules found less. An extra check can be wrong, so read its explanation.'
  const meaning = MEANING[finding.rule]
  return (answer ? meaning?.answer : undefined) ?? meaning?.why ?? 'It can make Claude do something other than what you asked for.'
}

const LAYERS: Record<string, string> = {
  html_entities: 'HTML entities', url_encoding: 'URL encoding', escapes: 'escape sequences', base64: 'base64', hex: 'hex digits', tag_characters: 'hidden characters',
  variation_selectors: 'hidden characters', reversed: 'reversed letters', spaced_letters: 'spaced letters', letters_in_tags: 'letters in tags',
  letters_in_quotes: 'letters in quotes',
  character_codes: 'character codes', glued_words: 'words without spaces', digits_for_letters: 'digits for letters', rot13: 'ROT13', backwards: 'text written backwards',
}

/** The layers that hid a message, from the outside in; "" if none. */
export function layersOf(finding: Finding): string {
  return (finding.encodings ?? []).slice(0, 3).map((e) => LAYERS[e] ?? 'encoded text').join(' → ')
}

/** What a finding has besides its match: a message that was hidden under encodings, or the other of two names. */
export function besideOf(finding: Finding): 'Decoded' | 'Same as' | 'Imitates' {
  switch (finding.rule) {
    case 'name_collision':
      return 'Same as'
    case 'tool_imitation':
      return 'Imitates'
  }
  return 'Decoded'
}

/** The worst warning's meaning in one sentence, for the line below the headline. */
export function verdictOf(finding: Finding): string {
  if (finding.decoded && besideOf(finding) === 'Decoded') return 'It hides a message from you that Claude reads.'
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
      return 'It is too long or too deep to check.'
  }
  return finding.title + '.'
}
