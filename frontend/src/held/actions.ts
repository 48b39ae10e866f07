import type { Held, Review } from '../lib/api'
import type { Action, Actions } from '../review/action'
import { warns } from '../review/findings'
import { plainName, serverName } from '../untrusted/names'
import { nounOf, waits } from './words'

/** The decisions on a held response. */
export function heldActions(review: Review): Actions {
  const held = review.held
  if (!held) return { safe: null, others: [] }
  const server = serverName(review.shown || review.server, 'this server')
  const what = plainName(held.name ?? '', `a ${nounOf(held)}`)
  const typed = review.typedWord !== ''
  const base = { items: [], all: false, undo: false, back: 'Keep it held' }
  const discard: Action = {
    ...base, id: 'held-discard', title: 'Discard', label: `Discard the response from ${what}`, call: 'discard', ask: 'once', consequence: '', confirm: '',
    done: `You discarded a response from ${what}. Its text is deleted, and Claude never gets it.`,
  }
  if (held.state === 'released') {
    const after: Action = { ...discard, title: 'Discard after all', label: `Discard after all: the response from ${what}` }
    return { safe: after, others: [] }
  }
  const all = everything(held, what, base)
  const blocks = blocking(review, held, what, server, base)
  if (!held.kept || !waits(held)) return { safe: discard, others: all }

  const release: Action = {
    ...base, id: 'held-release', title: 'Release once…', label: `Release once: the response from ${what}`, call: 'release', ask: typed ? 'typed' : 'twice',
    heading: 'Let Claude read this?', confirm: 'Release it once',
    consequence: 'Claude gets all of this text, even the parts you can’t see, and may do what it says. It can collect it once, within 15 minutes.',
    done: `You released a response from ${what}, once.`,
  }
  const others = [release, ...all]
  if (held.removable) {
    const without: Action = {
      ...release, id: 'held-without', title: 'Release without the marked parts…', label: `Release without the marked parts: the response from ${what}`, call: 'without', confirm: 'Release it without them',
      consequence: 'The marked sentences are replaced by “[removed by Sallyport]”. Claude gets the rest, once, within 15 minutes. The rest may still mislead it.',
      done: `You released a response from ${what}, without its marked parts, once.`,
    }
    if (warns(review.findings)) others.unshift(without)
    else others.push(without)
  }
  const more: Action[] = []
  if (held.exceptable && !typed) {
    more.push({
      ...base, id: 'held-exception', title: 'Always allow this tool…', label: `Always allow this tool for a limited time: ${what}`, call: 'except', ask: 'form', confirm: 'Make the exception',
      consequence: `Sallyport stops holding responses from ${what} for ${held.exceptable.length === 1 ? 'this reason' : 'these reasons'} for a limited time:`, done: `Sallyport stops holding responses from ${what} for this reason for a limited time. This one is still held.`,
    })
  }
  // A tool with many held responses is one to block, so that is offered too.
  if (all.length > 0) others.push(...blocks)
  else more.push(...blocks)
  return { safe: discard, others, more }
}

type Base = Pick<Action, 'items' | 'all' | 'undo' | 'back'>

/** Discards all responses of the item that were held when it was shown. */
function everything(held: Held, what: string, base: Base): Action[] {
  const count = held.all?.count ?? 0
  if (count < 2) return []
  const all = count.toLocaleString('en')
  return [{
    ...base, id: 'held-discard-all', title: `Discard all ${all}…`, label: `Discard all ${all} responses from ${what}`, call: 'discardAll', ask: 'twice', confirm: `Discard ${all} responses`,
    consequence: `This deletes the ${all} responses from ${what} that are held for the same reason. Claude never sees them, and they don’t come back.`,
    done: `You discarded responses from ${what}.`,
  }]
}

/** Blocks the tool that the response came from. It only tightens, so one press is enough. */
function blocking(review: Review, { item = '' }: Held, what: string, server: string, base: Base): Action[] {
  if (!item.startsWith('tool:') || review.identity === '' || !review.allowed) return [] // it is blocked already
  return [{
    ...base, id: 'held-block', title: 'Block this tool', label: `Block this tool: ${what} of ${server}`, call: 'block', items: [item], ask: 'once', consequence: '', confirm: '',
    done: `You blocked ${what} of ${server}. The response is still held.`,
  }]
}
