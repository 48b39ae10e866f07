import { heldActions } from '../held/actions'
import type { PartDetail, Review } from '../lib/api'
import { kindOf } from '../lib/kinds'
import { plainName, serverName } from '../untrusted/names'
import type { Action, Actions } from './action'
import { warns } from './findings'
import { partKey } from './forms'
import { settingChanges } from './settings'
import { hostWords, wantsMore } from './signin'

const gone = (p: PartDetail) => p.state === 'removed'
export const isClean = (p: PartDetail) => !p.findings.some((f) => f.level !== 'low')

/** picked: the entries of a client's file to decide on; empty means all. */
export function actionsOf(review: Review, chosen: PartDetail | undefined, picked: readonly string[] = []): Actions {
  if (review.stale || review.nonce === '') return { safe: null, others: [] }
  switch (review.kind) {
    case 'response_held':
      return heldActions(review)
    case 'new_server':
      return newServer(review, chosen)
    case 'unguarded':
    case 'config_changed':
      return file(review, picked)
    case 'extension':
      return extension(review)
    case 'settings_changed':
      return settings(review)
    case 'guard_problem':
      return problem(review)
    case 'launch':
      return launch(review)
    case 'call_waiting':
      return call(review)
    case 'login':
      return signIn(review)
    default:
      return changed(review, chosen)
  }
}

const serverOf = (review: Review) => serverName(review.shown || review.server, 'this server')

function nounOf(part: PartDetail): string {
  return { tool: 'tool', prompt: 'prompt', page: 'page', resource: 'resource', 'resource-template': 'resource', skill: 'skill' }[kindOf(part.kind, part.name)] ?? 'part'
}

function nameOf(part: PartDetail): string {
  return part.kind === 'instructions' ? 'the instructions' : plainName(part.name, `a ${nounOf(part)}`)
}

/** How many steps it takes to allow something. */
function asking(review: Review, warned: boolean): 'once' | 'twice' | 'typed' {
  if (review.typedWord !== '') return 'typed'
  return warned ? 'twice' : 'once'
}

function keep(review: Review, what: string): Action | null {
  if (review.decided === 'rejected') return null // it is kept blocked already
  return {
    id: 'act-keep', title: 'Keep blocked', label: `Keep blocked: ${what}`, call: 'keep', items: [], all: false, ask: 'once', consequence: '', confirm: '',
    done: `You kept ${what} blocked.`, undo: true,
  }
}

/** Allows the tool on the screen. */
function allowOne(review: Review, part: PartDetail): Action {
  const ask = asking(review, warns(part.findings))
  const title = `Allow ${part.kind === 'instructions' ? 'these instructions' : `this ${nounOf(part)}`}${ask === 'once' ? '' : '…'}`
  const name = nameOf(part)
  return {
    id: 'act-allow', title, label: part.kind === 'instructions' ? `Allow these instructions: ${serverOf(review)}` : `${title.replace('…', '')}: ${name}`, call: 'allow', items: [partKey(part)], all: false, ask,
    consequence: consequenceOf(review, part), confirm: 'Allow this version', done: `You allowed ${name} of ${serverOf(review)}, in exactly this version.`, undo: true,
  }
}

function consequenceOf(review: Review, part: PartDetail): string {
  const server = serverOf(review)
  if (part.kind === 'instructions') return `If you allow this, ${server} can tell Claude what to do in these words, in every conversation. Allow this version of its instructions?`
  return `If you allow this, Claude reads all of this text, even the parts you can’t see, as part of its instructions. Allow this version of ${nameOf(part)}?`
}

function changed(review: Review, chosen: PartDetail | undefined): Actions {
  const open = review.details.filter((p) => !gone(p) && p.state !== 'rejected')
  const clean = open.filter(isClean)
  const what = open.length === 1 && open[0] ? nameOf(open[0]) : `${open.length} changes of ${serverOf(review)}`
  const others = chosen && !gone(chosen) ? [allowOne(review, chosen)] : []
  if (open.length > 1 && clean.length > 0 && review.severity !== 'critical') {
    others.push({
      id: 'act-allow-all', title: clean.length === open.length ? `Allow all ${open.length}` : `Allow the ${clean.length} without warnings`,
      label: clean.length === open.length ? `Allow all ${open.length} changes of ${serverOf(review)}` : `Allow the ${clean.length} without warnings of ${serverOf(review)}`,
      call: 'allow', items: [], all: false, ask: 'once', consequence: '', confirm: '',
      done: `You allowed ${clean.length} changes of ${serverOf(review)}.`, undo: true,
    })
  }
  return { safe: keep(review, what), others }
}

function newServer(review: Review, chosen: PartDetail | undefined): Actions {
  const server = serverOf(review)
  const parts = review.details.filter((p) => !gone(p) && p.kind !== 'launch')
  const clean = parts.filter(isClean)
  const others: Action[] = []
  if (clean.length > 0) {
    const said = review.findings.some((f) => f.level !== 'low') // about the server itself: a plain approval would allow nothing, so name what is allowed
    const ask = asking(review, said)
    const title = `Allow this server${ask === 'once' ? '' : '…'}`
    const rest = parts.length - clean.length
    others.push({
      id: 'act-allow', title, label: `Allow this server: ${server}`, call: 'allow', items: said ? clean.map(partKey) : [], all: false, ask,
      consequence: `This lets Claude use ${server}${rest > 0 ? `, without the ${rest} with warnings, which stay blocked` : ''}. It has warnings: allow it only if you know who made it.`,
      confirm: 'Allow this server', done: `You allowed ${server}${rest > 0 ? `; ${rest} with warnings stay blocked` : ''}.`, undo: true,
    })
  }
  if (chosen && !isClean(chosen) && chosen.kind !== 'launch' && !gone(chosen)) others.push({ ...allowOne(review, chosen), id: 'act-allow-one' })
  return { safe: keep(review, server), others }
}

function launch(review: Review): Actions {
  const server = serverOf(review)
  const ask = asking(review, true)
  const safe = keep(review, server)
  if (review.url) {
    return {
      safe,
      others: [{
        id: 'act-allow', title: 'Allow this way…', label: `Allow this way: ${server}`, call: 'allow', items: [], all: false, ask,
        consequence: `If you allow this, ${server} is reached as shown here, and gets what Claude sends it and what you sign in with. Allow it if you know why that changed.`,
        confirm: 'Allow this way', done: `You allowed the way to ${server}.`, undo: false,
      }],
    }
  }
  return {
    safe: safe && review.runs ? { ...safe, title: 'Block it', label: `Block it: what ${server} runs now`, done: `You blocked what ${server} runs now.` } : safe,
    others: [{
      id: 'act-allow', title: 'Allow this program…', label: `Allow this program: ${server}`, call: 'allow', items: [], all: false, ask,
      consequence: `If you allow this, ${server} runs as shown here, with all your permissions on this computer. Allow it if you updated it yourself.`,
      confirm: 'Allow this version', done: `You allowed what ${server} runs now.`, undo: false, runs: review.runs === true,
    }],
  }
}

/** A sign-in begins here and ends on the issuer's page, so nothing is decided yet. */
function signIn(review: Review): Actions {
  const server = serverOf(review)
  const more = wantsMore(review)
  const plan = review.signIn?.plan
  const safe: Action = {
    id: 'act-not-now', title: 'Not now', label: more ? `Not now: leave ${server} as it is` : `Not now: leave ${server} blocked`, call: 'keep', items: [], all: false, ask: 'once', consequence: '', confirm: '',
    done: more ? `${server} can do what it could before, and no more.` : `${server} stays blocked until you sign in.`, undo: true,
  }
  return {
    safe: review.decided === 'rejected' ? null : safe,
    others: !plan || plan.issuer === '' || plan.registered === '' ? [] : [{
      id: 'act-sign-in', title: 'Sign in…', label: `Sign in to ${server}`, call: 'signIn', items: [], all: false, ask: 'twice',
      consequence: `Your browser opens ${hostWords(plan.pageHost, 'the page shown above')}. Sign in there only if you know this site.`,
      confirm: 'Open in the browser', done: '', undo: false, back: 'Go back',
    }],
  }
}

/** One call, whose arguments are on the screen. */
function call(review: Review): Actions {
  if (!review.asks?.kept) return { safe: null, others: [] }
  const tool = plainName(review.asks.tool, 'this tool')
  const what = review.asks.flow.every((one) => one.rule === 1) ? 'to this recipient' : 'with this value'
  return {
    safe: review.decided === 'rejected' ? null : {
      id: 'act-refuse', title: 'Refuse', label: `Refuse this call: ${tool}`, call: 'keep', items: [], all: false, ask: 'once', consequence: '', confirm: '',
      done: `You refused a call of ${tool}. For ten minutes, the same call is refused without asking you.`, undo: false,
    },
    others: [{
      id: 'act-allow', title: 'Allow once', label: `Allow once: this call of ${tool}`, call: 'allow', items: [], all: true, ask: 'once', consequence: '', confirm: '',
      done: `You allowed a call of ${tool} once. Tell Claude to make it again within ten minutes.`, undo: false,
    }],
    more: [review.asks.allowable.length > 0 ? {
      id: 'act-always', title: `Always ${what}…`, label: `Always ${what}: ${tool}`, call: 'allow', items: [], all: true, always: true, ask: 'twice',
      consequence: `From now on, ${tool} can pass these values on as often as Claude likes, whatever else is in the call: ${review.asks.allowable.map((one) => plainName(one, 'this value')).join(', ')}. Other values still need your review. You can take this back on the server’s page.`,
      confirm: 'Always allow', done: `You allowed this for ${tool} for good. Tell Claude to make the call again.`, undo: false, back: 'Go back',
    } : {
      id: 'act-always', title: 'Always allow this call…', label: `Always allow this call: ${tool}`, call: 'allow', items: [], all: true, always: true, ask: 'twice',
      consequence: `From now on, ${tool} with exactly these arguments passes as often as Claude likes, without asking you. Any other call of ${tool} still needs your review. You can take this back on the server’s page.`,
      confirm: 'Always allow', done: `You allowed this call of ${tool} for good. Tell Claude to make it again.`, undo: false, back: 'Go back',
    }],
  }
}

function file(review: Review, picked: readonly string[]): Actions {
  const all = picked.length === 0 || picked.length === review.details.length
  const items = all ? [] : review.details.map((p) => p.item).filter((item) => picked.includes(item))
  const some = all ? '' : `, ${items.length} of ${review.details.length}`
  const guard = review.kind === 'unguarded'
  const title = guard ? 'Put the guard back' : 'Restore previous settings'
  const putBack: Action = {
    id: 'act-put-back', title: `${title}${some}`, label: `${title}${some}`, call: 'allow', items, all: false, ask: 'once', consequence: '', confirm: '',
    done: guard ? 'The guard is back in the file. Restart Claude to finish.' : 'The settings are back as they were. Restart Claude to finish.', undo: false,
  }
  return {
    safe: review.diff === '' ? null : putBack, // there is nothing to put back
    others: [{
      id: 'act-leave', title: `Leave it as it is${some}…`, label: `Leave it as it is${some}: ${guard ? 'without a guard' : 'the changed settings'}`, call: 'keep', items, all: false,
      ask: review.typedWord === '' ? 'twice' : 'typed',
      consequence: guard ? 'If you leave it, Claude uses these servers without checks, and Sallyport doesn’t ask about them again.' : 'If you leave it, Sallyport treats the file as you want it to be.',
      confirm: 'Leave it as it is', done: guard ? 'You left it without a guard.' : 'You left the file as it is.', undo: false,
    }],
  }
}

/** An extension can't be blocked: not accepting it keeps the item. */
function extension(review: Review): Actions {
  const name = plainName(review.details[0]?.name ?? '', 'this extension')
  return {
    safe: {
      id: 'act-keep', title: 'Don’t accept it', label: `Don’t accept it: ${name}`, call: 'keep', items: [], all: false, ask: 'once', consequence: '', confirm: '',
      done: 'The item stays in the inbox. To switch the extension off, open Claude’s settings, then Extensions.', undo: false,
    },
    others: [{
      id: 'act-allow', title: 'Accept it as it is now…', label: `Accept it as it is now: ${name}`, call: 'allow', items: [], all: false, ask: asking(review, review.severity !== 'review'),
      consequence: 'If you accept it, Sallyport tells you when a file of it changes. It still can’t check or block what it does.',
      confirm: 'Accept it', done: 'You accepted the extension as it is now.', undo: false,
    }],
  }
}

/** The effect of a loosened setting, from now on. */
function stops(review: Review): string {
  const means = settingChanges(review).map((change) => change.after.means)
  return means.length > 0 && means.every((m) => m !== '') ? `If you allow this: ${means.join(' ')}` : 'If you allow this, Sallyport checks less from now on.'
}

function settings(review: Review): Actions {
  const n = review.details.length
  const title = n === 1 ? 'Allow this setting…' : `Allow these ${n} settings…`
  return {
    safe: { id: 'act-keep', title: 'Keep the safer setting', label: 'Keep the safer setting', call: 'keep', items: [], all: false, ask: 'once', consequence: '', confirm: '', done: 'You kept the safer setting, and the file has it again.', undo: false },
    others: [{
      id: 'act-allow', title, label: title.replace('…', ''), call: 'allow', items: [], all: true, ask: asking(review, true),
      consequence: `${stops(review)} Someone changed it in the settings file, outside this window. Was that you?`,
      confirm: 'Allow it', done: 'You allowed the changed setting.', undo: false,
    }],
  }
}

function problem(review: Review): Actions {
  if (!review.parts.some((p) => p.state === 'lost')) return { safe: null, others: [] }
  return {
    safe: null,
    others: [{
      id: 'act-begin-again', title: 'Start over with an empty store…', label: 'Start over with an empty store', call: 'allow', items: [], all: false, ask: asking(review, true),
      consequence: 'Sallyport forgets everything you allowed, and you review every server again. It keeps what is left of the old store aside.',
      confirm: 'Start over', done: 'Sallyport started over with an empty store.', undo: false,
    }],
  }
}
