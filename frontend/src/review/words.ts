import { heldNothing, heldSince, heldSubject, heldVerdict } from '../held/words'
import type { PartDetail, Review } from '../lib/api'
import { kindOf } from '../lib/kinds'
import { serverName } from '../untrusted/names'
import { verdictOf, worstOf } from './findings'
import type { Headline } from './headline'
import { labelOf } from './settings'
import { signInHeadline, signInVerdict, wantsMore } from './signin'

const VERBS: Record<string, string> = {
  changed: 'changed', new: 'is new', removed: 'is gone', rejected: 'is blocked', approved: 'changed and changed back',
  unwrapped: 'is no longer guarded', fake: 'only looks guarded',
}

/** What changed about what a server runs. */
const LAUNCH: Record<string, string> = {
  surroundings: 'Same program, other surroundings', program: 'Same command, another program', loader: 'A variable that loads code', secret: 'It would get a stored secret', address: 'Reached in another way',
}

const LAUNCH_MEANS: Record<string, string> = {
  surroundings: 'It’s the program you allowed, but the folder it starts in or a variable changed.',
  program: 'It would start a different program than the one you allowed.',
  loader: 'A variable that can load code has a value you haven’t allowed.',
  secret: 'Its entry names one of your stored secrets, which you haven’t allowed it.',
  address: 'Its name leads to another kind of address than the one you allowed, or it is spoken to in another way.',
}

/** What a server requested, by kind. */
const ASKED: Record<string, string> = {
  sampling: ' asked Claude to write something', elicitation: ' asked you a question', roots: ' asked for your folders', other: ' asked Claude for something',
}

const headline = (h: Partial<Headline>): Headline => ({ before: '', name: '', between: '', server: '', part: '', after: '', ...h })

export function headlineOf(review: Review): Headline {
  const parts = review.details
  const moved = parts.filter((p) => p.state !== 'removed' && p.state !== 'rejected')
  if (review.held) return headline(heldSubject(review, review.held))
  const only = moved.length === 1 ? moved[0] : parts.length === 1 ? parts[0] : undefined
  switch (review.kind) {
    case 'new_server':
      return headline({ before: 'New server: ', server: review.shown || review.server })
    case 'launch':
      return headline({ before: `${LAUNCH[review.launch ?? ''] ?? 'Blocked by you'}: `, server: review.shown || review.server })
    case 'unguarded':
      if (only) return headline({ name: only.name, after: ` ${VERBS[only.state] ?? 'is no longer guarded'}` })
      return headline({ before: `${parts.length} servers are no longer guarded` })
    case 'config_changed':
      if (only) return headline({ name: only.name, between: ` ${VERBS[only.state] ?? 'changed'} in the settings of `, server: review.shown || review.server })
      return headline({ before: 'The settings of ', server: review.shown || review.server, after: ' changed' })
    case 'extension':
      return headline({ before: 'Extension ', name: only?.name ?? '', between: ` ${only?.state === 'new' ? 'is new' : 'changed'} in `, server: review.shown || review.server })
    case 'settings_changed':
      if (only) return headline({ before: `Made less safe: ${labelOf(only)}` })
      return headline({ before: `${parts.length} settings made less safe` })
    case 'guard_problem':
      return headline({ before: review.title.split(':', 1)[0] ?? 'Sallyport has a problem' })
    case 'login':
      return headline({ server: review.shown || review.server, after: signInHeadline(review.signIn) })
    case 'call_waiting':
      return headline({ before: 'Claude wants to call ', name: review.asks?.tool ?? '', between: ' from ', server: review.shown || review.server })
    case 'interaction':
      return headline({ server: review.shown || review.server, after: parts.length > 1 ? ' asked for several things' : (ASKED[only?.name ?? ''] ?? ' asked for something') })
    default:
      if (parts.length === 0) return headline({ server: review.shown || review.server, after: ' asks for something' })
      if (!only) return headline({ before: `${moved.length} items of `, server: review.shown || review.server, after: ' changed' })
      if (only.kind === 'instructions') return headline({ before: 'The instructions of ', server: review.shown || review.server, after: ` ${only.state === 'new' ? 'are new' : 'changed'}` })
      return headline({ name: only.name, between: ' from ', server: review.shown || review.server, after: ` ${VERBS[only.state] ?? 'changed'}` })
  }
}

/** One sentence: what it means. */
export function verdict(review: Review): string {
  if (review.held) return heldVerdict(review, review.held)
  const worst = worstOf([...review.findings, ...review.details.flatMap((p) => p.findings)])
  switch (review.kind) {
    case 'unguarded':
      return 'Claude may be using it without checks right now. Sallyport can\'t stop that until the guard is back and Claude restarts.'
    case 'config_changed':
      return 'Another program edited the file. The change is shown below.'
    case 'extension':
      return 'Claude starts its extensions itself, so Sallyport can’t check or block them. Accept it if you installed or updated it.'
    case 'settings_changed':
      return 'Someone changed it in the settings file, not in this window. It has no effect until you allow it.'
    case 'guard_problem':
      return 'Everything is blocked until this is fixed.'
    case 'call_waiting':
      return callVerdict(review)
    case 'login':
      return signInVerdict(review)
    case 'launch':
      if (review.url) return `${LAUNCH_MEANS[review.launch ?? ''] ?? 'You blocked the way to it.'} Nothing is sent to it.`
      return `${LAUNCH_MEANS[review.launch ?? ''] ?? 'You blocked its program.'} ${review.runs ? 'It is still running.' : 'It has not been started.'}`
  }
  if (worst && worst.level !== 'low') return verdictOf(worst)
  if (review.kind === 'new_server') return 'Nothing suspicious was found. Read what it can do, and allow it if you know who made it.'
  return 'Nothing suspicious was found. Read it and allow it if it makes sense.'
}

/** What became of a call that a person decides on. */
function callVerdict(review: Review): string {
  const call = review.asks
  if (call?.takenBack) return 'You took that back. The next call like it needs your review again.'
  if (call?.always) return 'This call passes without asking you, until you take that back on the server’s page.'
  if (call?.used) return 'You allowed it, and it was made once.'
  if (review.decided === 'approved') return 'Claude gets it once, when it makes the same call again within ten minutes.'
  if (review.decided === 'rejected') return 'For ten minutes, the same call is refused without asking you.'
  if (review.decided === 'withdrawn') return 'It was never run.'
  if (call && call.flow.length > 0 && call.flow.every((one) => one.rule === 4)) return 'It changes access. It hasn’t been run.'
  if (call && call.flow.length > 0 && call.flow.every((one) => one.rule === 3)) return 'A response ordered it. It hasn’t been run.'
  if (call && call.flow.length > 0) return 'Something in it came out of a response, or can’t be taken back. It hasn’t been run.'
  return 'You decide on each call of this tool. It hasn’t been run.'
}

/** Whether it blocks something a server offers or runs. */
export const holdsBack = (review: Review) => ['new_server', 'changed', 'launch', 'interaction'].includes(review.kind)

/** Whether it blocks anything: the words before the time. */
export function blockedSince(review: Review): string {
  if (review.held) return 'Held since'
  if (review.kind === 'call_waiting') return 'Asked at'
  if (review.kind === 'login') return wantsMore(review) ? 'Asked at' : 'Blocked since'
  return holdsBack(review) && !review.runs ? 'Blocked since' : 'Seen at'
}

export const nothingRan = (review: Review) => (review.held ? heldSince(review.held) : review.kind === 'changed' ? 'None of it has run.' : review.kind === 'new_server' ? 'Claude can’t use it yet.' : '')

/** What happens if the person does nothing. */
export function ifNothing(review: Review): string {
  const server = serverName(review.shown || review.server, 'this server')
  if (review.held) return heldNothing(review.held, new Date())
  const many = review.details.filter((p) => p.state !== 'removed').length > 1
  switch (review.kind) {
    case 'new_server':
      return `If you do nothing, all of ${server} stays blocked.`
    case 'launch':
      return review.runs ? `If you do nothing, ${server} keeps running as it is.` : `If you do nothing, ${server} stays blocked.`
    case 'unguarded':
      return 'If you do nothing, Claude can keep using it without checks. Sallyport can\'t block it.'
    case 'config_changed':
      return 'If you do nothing, the file stays as it is.'
    case 'extension':
      return 'If you do nothing, Claude keeps starting it. To switch it off, open Claude’s settings, then Extensions.'
    case 'settings_changed':
      return 'If you do nothing, the safer setting stays.'
    case 'guard_problem':
      return 'If you do nothing, everything stays blocked.'
    case 'call_waiting':
      return 'If you do nothing, it is never run.'
    case 'login':
      return wantsMore(review) ? `If you do nothing, calls that need more stay blocked. The rest of ${server} keeps working.` : `If you do nothing, all of ${server} stays blocked.`
    case 'interaction':
      return `If you do nothing, it stays blocked. The rest of ${server} keeps working.`
  }
  if (review.title.includes('the whole server is blocked')) return `If you do nothing, all of ${server} stays blocked.`
  return `If you do nothing, ${many ? 'they stay' : 'it stays'} blocked. The rest of ${server} keeps working.`
}

export function decidedWords(review: Review): string {
  const file = review.kind === 'unguarded' || review.kind === 'config_changed'
  if (review.kind === 'call_waiting') return { approved: review.asks?.always ? 'You allowed this call for good' : 'You allowed this call once', rejected: 'You refused this call', withdrawn: 'This is over: the time is up, or the tool is no longer allowed' }[review.decided] ?? ''
  if (review.kind === 'login') return { approved: 'You signed in', rejected: 'You didn’t sign in', withdrawn: 'This is over: the server no longer asks for it' }[review.decided] ?? ''
  switch (review.decided) {
    case 'approved':
      return file ? 'You put this back' : review.kind === 'extension' ? 'You accepted this' : 'You allowed this'
    case 'rejected':
      return file ? 'You left this as it is' : 'You kept this blocked'
    case 'withdrawn':
      if (review.kind === 'extension') return 'This resolved itself: the extension is back to what you accepted, switched off, or gone'
      return 'This resolved itself: it is back to what you allowed'
  }
  return ''
}

/** The kind of a part, in a word. */
export function partKind(part: PartDetail, remote: boolean): string {
  if (part.kind === 'launch' && remote) return 'Where it is'
  return (
    { tool: 'Tool', instructions: 'Instructions', prompt: 'Prompt', page: 'Page', resource: 'Resource', 'resource-template': 'Resource template', skill: 'Skill', launch: 'What it runs', interaction: 'Request', entry: 'Entry', extension: 'Extension', setting: 'Setting', store: 'Store' }[kindOf(part.kind, part.name)] ?? 'Part'
  )
}

export const partState = (part: PartDetail) => VERBS[part.state]?.replace(/^is /, '') ?? part.state
