import type { Level } from './level'

/** An answer that was held back, what is decided on it, and the exceptions that are made for one. */

export type HeldState = 'waiting' | 'released' | 'taken' | 'delivered' | 'expired' | 'discarded' | 'gone'

export type HeldWhy = 'threat' | 'limit' | 'provider'

export interface Held {
  state: HeldState
  time: string
  /** server text: the client's own name */
  client: string
  method: string
  /** pin key, "" for a method that names nothing; holds server text */
  item: string
  /** server text: tool, prompt or URI */
  name: string
  arguments: HeldArgument[]
  error: boolean
  bytes: number
  why: HeldWhy
  checks: { check: string; ran: boolean; why: string }[]
  ruleSet: string
  /** when its text is deleted if nothing is decided */
  expires: string
  /** of a released one: when the release ends */
  until: string
  delivered: string
  /** released without the marked parts */
  without: boolean
  /** A wrapper ended while it handed it over: it may have arrived. */
  unsure: boolean
  /** rules that an exception can be made for */
  exceptable: string[]
  /** Its text is still there. */
  kept: boolean
  parts: HeldPart[]
  links: HeldLink[]
  /** its place in its item, the newest being 1; 0 where it waits no more */
  place: number
  /** codes of the responses beside it, "" where there are none */
  newer: string
  older: string
  /** The item as it was when this was shown, where there is more than one in it. */
  all?: HeldAll
}

export interface HeldAll {
  count: number
  digest: string
  nonce: string
  armAfterMs: number
}

export interface HeldAllDecision {
  code: string
  digest: string
  nonce: string
  reason: string
}

export interface HeldAllDone {
  discarded: number
  /** decided or gone meanwhile */
  meanwhile: number
  /** came since, and are still held */
  came: number
}

export interface HeldArgument {
  /** text of Claude's request */
  name: string
  /** text of Claude's request; secrets are *** */
  value: string
  masked: boolean
}

export interface HeldPart {
  /** ours */
  label: string
  /** server text */
  mime: string
  /** server text: a URI */
  name: string
  bytes: number
  /** of what is not shown */
  sha256: string
  /** set out as JSON */
  code: boolean
  shown: boolean
  chars: number
  pages: number
  first: HeldPage
  marks: HeldMark[]
}

export interface HeldPage {
  page: number
  /** bytes of the whole */
  from: number
  to: number
  /** server text */
  text: string
}

/** Where a finding stands in a part: bytes of its text, and the page it begins on. */
export interface HeldMark {
  /** its place among the review's findings */
  finding: number
  start: number
  end: number
  page: number
}

/** server text, all three */
export interface HeldLink {
  before: string
  host: string
  after: string
}

export interface HeldDecision {
  code: string
  digest: string
  nonce: string
  /** without the marked parts */
  without: boolean
  typed: string
  reason: string
}

export interface HeldDone {
  code: string
  /** server text */
  server: string
  /** server text */
  tool: string
  state: HeldState
  until: string
}

export type ExceptFor = 'hour' | 'today' | 'week'

export interface ExceptDecision {
  code: string
  digest: string
  nonce: string
  /** none: all that an exception can be made for */
  rules: string[]
  for: ExceptFor
}

export interface Exception {
  id: string
  rule: string
  /** what the rule says; "" for one that is not ours */
  title: string
  /** server text */
  server: string
  /** pin key; holds server text */
  item: string
  level: Level
  created: string
  until: string
  code: string
  /** answers that it let pass */
  used: number
}
