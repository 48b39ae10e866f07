import type { Setting } from '../../lib/api'

/** Where a setting stands on the page, and its plain words. The table in proxy/policy says which there are; one that has no
 * words here is shown under its key with the table's sentence. */
export interface Words {
  label: string
  /** One sentence; "" takes the table's own. */
  effect: string
  choices: Record<string, { name: string; effect: string }>
  /** Of a value that is typed: what may be typed, and what a less safe one means. */
  typed?: { allowed: string; means: (value: string) => string }
}

export interface Section {
  id: string
  title: string
  keys: readonly string[]
}

export const SECTIONS: readonly Section[] = [
  { id: 'checks', title: 'Checks', keys: ['pins.first_use', 'pins.resources', 'pins.recheck', 'pins.recheck_timeout', 'limits.message'] },
  { id: 'startup', title: 'How servers start', keys: ['pins.launch', 'sandbox'] },
  { id: 'responses', title: 'Responses and requests', keys: ['inspect.on_limit', 'inspect.max_bytes', 'inspect.rules', 'quarantine.retention', 'interaction.policy', 'redact.mode', 'redact.profile', 'sanitizer.ansi'] },
  { id: 'files', title: 'Claude’s file', keys: ['clients.auto_protect'] },
  { id: 'activity', title: 'Activity', keys: ['activity.keep', 'activity.max_size'] },
  { id: 'decisions', title: 'Claude and the command line', keys: ['own_tools', 'approvals.cli'] },
]

export const MORE: Omit<Section, 'keys'> = { id: 'more', title: 'More' }

const WORDS: Record<string, Words> = {
  'pins.first_use': {
    label: 'A server that is seen for the first time',
    effect: 'Whether Claude can use it before you have read what it offers.',
    choices: {
      review: { name: 'Wait for me', effect: 'All of it stays blocked until you have looked.' },
      'trust-clean': { name: 'Allow what has no warning', effect: 'Claude can use it unread. What has a warning waits for you.' },
    },
  },
  'pins.resources': {
    label: 'Files and pages a server offers (resources)',
    effect: 'A server can offer thousands of them, and new ones at any time.',
    choices: {
      on: { name: 'Each one waits for me', effect: 'Every single resource is blocked until you allow it.' },
      off: { name: 'Only their patterns', effect: 'Patterns that resources are made from wait for you; single resources do not.' },
    },
  },
  'pins.recheck': {
    label: 'Look again at what a server offers after',
    effect: 'A change that a server keeps to itself is found no later than this. 0 looks at every call.',
    choices: {},
    typed: {
      allowed: 'From 0 (at every call) to 24h, such as 30s or 5m; off never looks again.',
      means: (value) =>
        value === 'off' ? 'A change that a server keeps to itself is not found while it runs.' : `A change that a server keeps to itself can go unnoticed for ${amountWords(value)}.`,
    },
  },
  'pins.recheck_timeout': {
    label: 'Wait for that look no longer than',
    effect: 'Then the answer is refused. Longer is less safe: calls still reach the server meanwhile.',
    choices: {},
    typed: {
      allowed: 'From 1ms to 10m, such as 10s.',
      means: (value) => `Calls reach a server that stalls for ${amountWords(value)} before its answers are refused.`,
    },
  },
  'inspect.on_limit': {
    label: 'A response that is larger than what is looked at',
    effect: 'Nobody can say whether something is hidden in it.',
    choices: {
      hold: { name: 'Hold it for me', effect: 'Claude does not see it until you have released it.' },
      allow: { name: 'Let it through', effect: 'Claude reads it unchecked. Activity says that nobody looked.' },
    },
  },
  'inspect.max_bytes': {
    label: 'Largest response that is looked at',
    effect: 'What is larger goes the way that is chosen above.',
    choices: {},
    typed: { allowed: 'From 4KiB to 1GiB, such as 64MiB.', means: (value) => `Responses of more than ${amountWords(value)} are not looked at.` },
  },
  'inspect.rules': {
    label: 'Further rules for what is looked for',
    effect: 'A file of yours with rules beside those of Sallyport. It can only add warnings.',
    choices: {},
    typed: {
      allowed: 'The whole path of a file, or off.',
      means: (value) => (value === 'off' ? 'No rules of your own are looked for any more.' : `The rules of ${value} take the place of those of the file before it.`),
    },
  },
  'quarantine.retention': {
    label: 'Keep the text of a held response for',
    effect: 'Then it is deleted, and Claude never sees it. What happened stays in Activity.',
    choices: {},
    typed: { allowed: 'From 1m to 720h, such as 24h.', means: (value) => `The text of a held response stays on this computer for ${amountWords(value)}.` },
  },
  'interaction.policy': {
    label: 'A server asks Claude or you for something',
    effect: 'It can have Claude write, or ask you a question.',
    choices: {
      deny: { name: 'Refuse it', effect: 'No server gets anything that way.' },
      ask: { name: 'Ask me first', effect: 'The first request of each kind waits for you.' },
      guard: { name: 'Refuse what is suspicious', effect: 'A request for passwords, or with orders in it, is refused and waits in the Inbox.' },
      allow: { name: 'Let it through', effect: 'Nobody stops a request for a password.' },
    },
  },
  'sanitizer.ansi': {
    label: 'Commands to a terminal in what a server sends',
    effect: 'They can hide or repaint text.',
    choices: {
      strip: { name: 'Take them out', effect: 'What is left is plain text.' },
      visible: { name: 'Show them as letters', effect: 'They can be read, and do nothing.' },
      off: { name: 'Let them through', effect: 'They act wherever the text is printed.' },
    },
  },
  'redact.mode': {
    label: 'Passwords, keys and tokens in what a server answers',
    effect: 'Claude reads what a server answers, and may repeat it.',
    choices: {
      redact: { name: 'Put a mark in their place', effect: 'Claude sees [PASSWORD_REDACTED]. A file that it reads so and writes back has lost the password.' },
      detect: { name: 'Tell me in Activity', effect: 'The response stays as it is.' },
      off: { name: 'Do not look for them', effect: 'Nobody tells you that Claude got one.' },
    },
  },
  'redact.profile': {
    label: 'What is taken for a password, a key or a token',
    effect: 'It counts for what is told and for what is marked.',
    choices: {
      strict: { name: 'Any long run of letters too', effect: 'Hashes of commits are taken for secrets.' },
      precise: { name: 'What has the form or the name of one', effect: 'A secret without either is not seen.' },
    },
  },
  'limits.message': {
    label: 'Largest message that is let through',
    effect: 'A larger one is answered with an error, in either direction. The server goes on.',
    choices: {},
    typed: { allowed: 'From 4KiB to 1GiB, such as 64MiB.', means: (value) => `Messages of up to ${amountWords(value)} are let through, in either direction.` },
  },
  'pins.launch': {
    label: 'A server’s command runs something else than you allowed',
    effect: 'Another program, another script, or another version of its package. It counts from the next start.',
    choices: {
      block: { name: 'Block it', effect: 'It is not started until you have decided.' },
      notify: { name: 'Tell me', effect: 'It starts and the change waits in the Inbox. What loads other code is blocked all the same.' },
      off: { name: 'Do not look', effect: 'Nobody notices that another program runs.' },
    },
  },
  sandbox: {
    label: 'Sandbox for a server’s program',
    effect: 'What the program is kept from, from its next start on. Linux only, with bubblewrap; without it the server does not start.',
    choices: {
      strict: { name: 'No network, no home folder', effect: 'Also kept from Sallyport’s files, other programs and what would run things outside for it.' },
      shield: { name: 'Keep it from Sallyport and other programs', effect: 'It still has the network and your home folder.' },
      off: { name: 'No sandbox', effect: 'The program can read and write whatever you can.' },
    },
  },
  'clients.auto_protect': {
    label: 'When a new server appears',
    effect: 'In a file that you protected. What you left out stays left out either way.',
    choices: {
      on: { name: 'Guard it right away', effect: 'It stays blocked until you review it.' },
      off: { name: 'Ask me', effect: 'Claude may use it unchecked until you guard it.' },
    },
  },
  'activity.keep': {
    label: 'Keep records of calls for',
    effect: 'Your decisions, and what changed, stay longer. 2160h is 90 days.',
    choices: {},
    typed: { allowed: 'From 1s to 876000h, such as 720h (30 days).', means: (value) => `What a call was, and whether it was blocked, is forgotten after ${amountWords(value)}.` },
  },
  'activity.max_size': {
    label: 'Room for the whole record',
    effect: 'Past it the oldest records go first, your decisions last.',
    choices: {},
    typed: { allowed: 'From 64KiB to 1024GiB, such as 256MiB.', means: (value) => `Past ${amountWords(value)} the oldest records are forgotten.` },
  },
  own_tools: {
    label: 'Sallyport’s own two tools in Claude’s list',
    effect: 'With them Claude can say what waits for you. They allow nothing.',
    choices: {
      once: { name: 'Once', effect: 'One of your servers lists them, so Claude has each of them once.' },
      always: { name: 'With every server', effect: 'Every server lists them. That takes room in every request.' },
      waiting: { name: 'Only while something waits', effect: 'Claude sees them, once, when you have something to decide.' },
    },
  },
  'approvals.cli': {
    label: 'Decisions from the command line',
    effect: 'While this window is closed, and only for a hub that was started with --allow-cli-approval.',
    choices: {
      on: { name: 'Allowed', effect: 'Any program of yours could then allow things without you.' },
      off: { name: 'Only in this window', effect: 'Nothing can be allowed without you seeing it here.' },
    },
  },
}

/** Whether there are words for it. */
export const isKnown = (key: string) => Object.hasOwn(WORDS, key)

export function wordsOf(setting: Pick<Setting, 'key' | 'doc'>): Words {
  const known = WORDS[setting.key]
  return known ? { ...known, effect: known.effect || firstSentence(setting.doc) } : { label: setting.key, effect: setting.doc, choices: {} }
}

export function choiceOf(setting: Setting, value: string): { name: string; effect: string } {
  return WORDS[setting.key]?.choices[value] ?? { name: value, effect: '' }
}

/** The value as a sentence of ours names it. */
export function valueWords(setting: Pick<Setting, 'key'>, value: string): string {
  return WORDS[setting.key]?.choices[value]?.name ?? amountWords(value)
}

/** What holds with this value, in words; "" where there are none. */
export function meaningOf(key: string, value: string): string {
  const words = WORDS[key]
  return words?.choices[value]?.effect ?? words?.typed?.means(value) ?? ''
}

/** What may be typed, which way is safer, and what it would be by itself. */
export function allowedWords(setting: Setting): string {
  const allowed = WORDS[setting.key]?.typed?.allowed ?? `${firstUpper(setting.values)}.`
  const safer = setting.safer && setting.safer !== 'neither' ? ` ${firstUpper(setting.safer)} is safer.` : ''
  return `${allowed} Default: ${amountWords(setting.default)}.${safer}`
}

const UNITS: Record<string, [one: string, many: string]> = { h: ['hour', 'hours'], m: ['minute', 'minutes'], s: ['second', 'seconds'], ms: ['millisecond', 'milliseconds'] }

/** "30s" is "30 seconds", "2160h" is "90 days", "64MiB" is "64 MiB". What is neither stays as it is. */
export function amountWords(value: string): string {
  const size = /^(\d+)([KMGT]iB|B)$/.exec(value)
  if (size) return `${size[1]} ${size[2] === 'B' ? 'bytes' : size[2]}`
  if (!/^(\d+(h|ms|m|s))+$/.test(value)) return value
  return [...value.matchAll(/(\d+)(h|ms|m|s)/g)]
    .map(([, n = '0', unit = 's']) => [Number(n), unit] as const)
    .filter(([n], _, all) => n > 0 || all.length === 1)
    .map(([n, unit]) => {
      if (unit === 'h' && n >= 48 && n % 24 === 0) return `${n / 24} days`
      const [one, many] = UNITS[unit] ?? [unit, unit]
      return `${n} ${n === 1 ? one : many}`
    })
    .join(' ')
}

const firstUpper = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

export interface Filled extends Omit<Section, 'keys'> {
  settings: Setting[]
}

/** The settings that there are, by section; what no section names comes last. None is left out. */
export function sectionsOf(settings: readonly Setting[]): Filled[] {
  const placed = new Set<string>()
  const filled = SECTIONS.map(({ id, title, keys }) => ({
    id,
    title,
    settings: keys.flatMap((key) => {
      placed.add(key)
      return settings.filter((s) => s.key === key)
    }),
  }))
  filled.push({ ...MORE, settings: settings.filter((s) => !placed.has(s.key)) })
  return filled.filter((section) => section.settings.length > 0)
}

function firstSentence(doc: string): string {
  const end = doc.indexOf('. ')
  return end < 0 ? doc : doc.slice(0, end + 1)
}
