import type { Held, Item, Review } from '../lib/api'

/** The place of a response in its item, and the codes of its neighbours, "" if there are none. */
export interface Place {
  place: number
  newer: string
  older: string
}

/**
 * Its current place: more may have come while it was read, and the list has the newest codes. For an older response we only know what
 * was true when it was read, and that newer ones come before it. was: how many were in the item then.
 */
export function placeIn(held: Held, code: string, item: Item, was: number): Place {
  const { codes = [], count = 0 } = item
  const { place = 0, newer = '', older = '' } = held
  const at = codes.indexOf(code)
  if (at < 0) return { place: place === 0 ? 0 : Math.min(count, place + Math.max(0, count - was)), newer, older }
  return { place: at + 1, newer: codes[at - 1] ?? '', older: codes[at + 1] ?? (at + 1 < count ? older : '') }
}

/** The item of a response in the list: the one with its code among the newest, else the one of its server, tool and rule. */
export function itemOf(review: Review, current: Item | undefined, waiting: readonly Item[]): Item | undefined {
  return current ?? (review.held && review.decided === '' && review.group ? waiting.find((item) => item.group === review.group) : undefined)
}

/** Whether the list says that a response is out of date. For the older of many it can't tell, unless some left. */
export function movedOn(review: Review, listed: Item | undefined): boolean {
  if (!listed || listed.decided !== review.decided) return true
  const { codes = [], count = 0 } = listed
  if (count <= 1) return listed.code !== review.code || listed.parts[0]?.state !== review.held?.state
  return !codes.includes(review.code) && (codes.length >= count || count < (review.count ?? 0))
}
