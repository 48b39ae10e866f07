import type { Setting } from '../../lib/api'
import { fieldOf, OFF, type FieldKind } from './fields'

/** A setting's plain words. The table in proxy/policy lists the settings; one without words here is shown under its key with the table's sentence. */
export interface Words {
  label: string
  /** One sentence; "" means the table's own. */
  effect: string
  choices: Record<string, { name: string; effect: string }>
  /** The choices are boxes, of which several can be on. The first always is. */
  several?: boolean
  /** For a typed value: what is allowed, and the effect of a less safe one. off: the words for a time that is never up. */
  typed?: { allowed: string; means: (value: string) => string; field?: FieldKind; off?: string }
}

/** Where a provider is not set up. */
const NOT_SET = 'This check can’t run.'

const WORDS: Record<string, Words> = {
  'pins.first_use': {
    label: 'When a server is new',
    effect: 'Whether Claude can use it before you review it.',
    choices: {
      review: { name: 'Block it until I review it', effect: 'Claude can’t use any of it until you allow it.' },
      'trust-clean': { name: 'Allow what has no warnings', effect: 'Claude can use it before you read it. Anything with a warning stays blocked.' },
    },
  },
  'pins.resources': {
    label: 'Files and pages from a server (resources)',
    effect: 'A server can offer thousands of them, and add new ones at any time.',
    choices: {
      on: { name: 'Review each one', effect: 'Every file is blocked until you allow it.' },
      off: { name: 'Review only the patterns', effect: 'You approve the pattern once, not every file.' },
    },
  },
  'pins.recheck': {
    label: 'Re-check servers every',
    effect: 'How often Sallyport re-checks a server that doesn’t announce changes. 0 checks at every call.',
    choices: {},
    typed: {
      allowed: 'From 0 (every call) to 24 hours.',
      off: 'never',
      means: (value) =>
        value === OFF
          ? 'Sallyport misses changes that a running server doesn’t announce.'
          : `A change that a server doesn’t announce can go unnoticed for ${amountWords(value)}.`,
    },
  },
  'pins.recheck_timeout': {
    label: 'Wait for a re-check at most',
    effect: 'If the check takes longer than this, the response is blocked.',
    choices: {},
    typed: {
      allowed: 'From 1 millisecond to 10 minutes.',
      means: (value) => `Claude’s calls still reach a server that stalls for up to ${amountWords(value)}.`,
    },
  },
  'inspect.on_limit': {
    label: 'When a response is too large to check',
    effect: 'Sallyport can’t tell what is hidden in it.',
    choices: {
      hold: { name: 'Hold it for review', effect: 'Claude doesn’t see it until you release it.' },
      allow: { name: 'Allow it', effect: 'Claude reads it unchecked. Activity shows that it wasn’t checked.' },
    },
  },
  'inspect.max_bytes': {
    label: 'Largest response to check',
    effect: 'The setting above decides what happens to larger ones.',
    choices: {},
    typed: { allowed: 'From 4 KiB to 1 GiB.', means: (value) => `Sallyport doesn’t check responses larger than ${amountWords(value)}.` },
  },
  'inspect.rules': {
    label: 'Your own rules',
    effect: 'A file with rules of your own. They can only add warnings.',
    choices: {},
    typed: {
      allowed: 'The full path of a file, or nothing.',
      means: (value) => (value === OFF ? 'Sallyport stops using your rules.' : 'Sallyport uses the rules in this file instead of your earlier ones.'),
      field: 'text',
    },
  },
  'quarantine.retention': {
    label: 'Keep held responses for',
    effect: 'After that Sallyport deletes the text, and Claude never sees it. Activity keeps what happened.',
    choices: {},
    typed: { allowed: 'From 1 minute to 30 days.', means: (value) => `The text of a held response stays on this computer for ${amountWords(value)}.` },
  },
  'tools.mode': {
    label: 'When Claude calls a tool',
    effect: 'Of those you allowed. Most people set this for one tool, on its server’s page.',
    choices: {
      off: { name: 'Leave the tool out', effect: 'Claude doesn’t see it and can’t call it. What you allowed stays allowed.' },
      ask: { name: 'Ask me about each call', effect: 'A call waits in the Inbox. Once you allow it, Claude makes it again. Nothing runs meanwhile.' },
      allow: { name: 'Let it run', effect: 'Every tool that you allowed can be called.' },
    },
  },
  'flow.policy': {
    label: 'When a call passes on what a server said',
    effect: 'A response can name a recipient, a host or a name that you have never used, and Claude can act on it. Sallyport sees values, not what is meant. It misses a recipient that is spelled out or described, text that Claude rewords, a reply to whoever wrote, and what a server sends by itself.',
    choices: {
      ask: { name: 'Ask me', effect: 'Such a call needs your review, once for each value.' },
      note: { name: 'Let it run, and record it', effect: 'The call runs, and the activity log says so.' },
      off: { name: 'Don’t look', effect: 'A response can have your data sent to anyone.' },
    },
  },
  'tools.class': {
    label: 'What tools do',
    effect: 'Which calls Sallyport looks at for that.',
    choices: { auto: { name: 'As Sallyport reads it', effect: 'From each tool’s claims, its name and its inputs.' } },
    typed: {
      allowed: 'auto, none, or some of gives, takes, commits, changes access, reaches, with commas between.',
      means: (value) => (value === 'auto' ? 'Sallyport reads from each tool what its calls do.' : value === 'none' ? 'No call is looked at, except for secrets.' : `Every call counts as one that ${value.replaceAll(',', ', ')}.`),
    },
  },
  'interaction.policy': {
    label: 'Requests from servers',
    effect: 'A server can ask Claude to write something, or ask you a question.',
    choices: {
      deny: { name: 'Block all', effect: 'No server can ask for anything.' },
      ask: { name: 'Ask me first', effect: 'The first request of each kind needs your review.' },
      guard: { name: 'Block suspicious ones', effect: 'Sallyport blocks requests for passwords, or with hidden orders, and puts them in the Inbox.' },
      allow: { name: 'Allow all', effect: 'A server can ask you for a password.' },
    },
  },
  'inspect.descriptions': {
    label: 'When a tool’s own words look like an attack',
    effect: 'Goes by single words, whatever you allowed. Of 1,286 honest texts in our tests, it hit 1.6 %.',
    choices: {
      block: { name: 'Leave the tool out', effect: 'Claude can’t see or use it, even if you allowed it. Less serious words are replaced.' },
      redact: { name: 'Replace the words', effect: 'Claude sees [REDACTED] instead of them. A tool with such a name is left out.' },
      review: { name: 'Go by what I allow', effect: 'You see a warning in the review, and Claude reads what you allow.' },
    },
  },
  'sanitizer.profile': {
    label: 'What Claude reads about a tool',
    effect: 'A description can hold more than you can see.',
    choices: {
      strict: { name: 'Only the basics, in few words', effect: 'Claude gets names, short descriptions and simple inputs. Titles, hints and the form of results are left out, so some tools work less well.' },
      standard: { name: 'All that can be seen', effect: 'Invisible characters are removed, and names, texts and inputs that are far too large are cut.' },
      off: { name: 'Everything, unchanged', effect: 'Claude also reads what you can’t see. One broken tool can cost it every tool of the server.' },
    },
  },
  'sanitizer.ansi': {
    label: 'Terminal commands in what a server sends',
    effect: 'They can hide or repaint text.',
    choices: {
      strip: { name: 'Remove them', effect: 'Only plain text is left.' },
      visible: { name: 'Show them as text', effect: 'You can read them, and they do nothing.' },
      off: { name: 'Allow them', effect: 'They act wherever the text is printed.' },
    },
  },
  'redact.mode': {
    label: 'Passwords, keys and tokens in responses',
    effect: 'Claude reads responses and may repeat them.',
    choices: {
      redact: { name: 'Replace them', effect: 'Claude sees [PASSWORD_REDACTED]. If it writes such a file back, the password is lost.' },
      detect: { name: 'Tell me in Activity', effect: 'The response stays unchanged.' },
      off: { name: 'Don’t look for them', effect: 'You don’t find out when Claude gets one.' },
    },
  },
  'redact.profile': {
    label: 'What counts as a password, key or token',
    effect: 'Used for the setting above.',
    choices: {
      strict: { name: 'Any long random text too', effect: 'May mistake commit hashes for secrets.' },
      precise: { name: 'Known formats and names', effect: 'Misses secrets that have neither.' },
    },
  },
  'spotlight': {
    label: 'Marks around what a server sends',
    effect: 'They tell Claude where foreign text begins and ends. Words that make some programs run a tool are replaced.',
    choices: {
      on: { name: 'Always', effect: 'Each text names its source. A tool that reads files for editing shows the marks too.' },
      ask: { name: 'Unless a call says no', effect: 'Claude can turn the marks off for one call.' },
      off: { name: 'Only if a call asks for them', effect: 'Other responses stay unchanged.' },
    },
  },
  'output_validation.mode': {
    label: 'When a response isn’t what its tool promised',
    effect: 'Checking a usual response takes less than a millisecond, and sends nothing anywhere.',
    choices: {
      strict: { name: 'Block it', effect: 'Claude gets an error instead. Servers with mistakes in their tools stop working.' },
      warn: { name: 'Tell me in Activity', effect: 'The response stays unchanged.' },
      off: { name: 'Don’t check', effect: 'You don’t find out when a server sends something else.' },
    },
  },
  'output_validation.missing_structured_content': {
    label: 'When a response has only text',
    effect: 'Used if the setting above blocks. Many tools promise data and send only text.',
    choices: {
      block: { name: 'Block it', effect: 'Tools that send only text stop working.' },
      allow: { name: 'Allow it', effect: 'The text isn’t compared with what the tool promised.' },
    },
  },
  'output_validation.max_bytes': {
    label: 'Largest data in a response',
    effect: 'Larger data counts as something the tool didn’t promise.',
    choices: {},
    typed: { allowed: 'From 1 byte to 1 GiB.', means: (value) => `Data of up to ${amountWords(value)} passes if it has the promised form.` },
  },
  'output_validation.max_depth': {
    label: 'Deepest data in a response',
    effect: 'How many levels of lists inside lists it can have. Deeper data counts as something the tool didn’t promise.',
    choices: {},
    typed: { allowed: 'From 0 to 1,000 levels.', means: (value) => `Data with up to ${value} levels passes if it has the promised form.` },
  },
  'guardrail.provider': {
    label: 'Who checks responses',
    effect: 'Every response waits until all of them have judged it.',
    several: true,
    choices: {
      builtin: { name: 'Sallyport’s own rules', effect: 'On this computer. Takes a few milliseconds, and sends nothing anywhere.' },
      llamafirewall: { name: 'LlamaFirewall', effect: 'On this computer, with your own Python. Takes a few milliseconds, and longer if its model is installed. Downloads nothing.' },
      command: { name: 'A program of yours (command)', effect: 'It gets the text of each response and runs as you. How long it takes, and what it does with the text, is up to the program.' },
      http: { name: 'A service at an address (http)', effect: 'It gets the text of each response. On another computer, only from servers you choose below, and with passwords and keys replaced.' },
    },
    typed: {
      allowed: '',
      means: (value) => (value === 'builtin' ? 'Only Sallyport’s own rules check responses.' : 'Fewer programs check responses.'),
    },
  },
  'guardrail.on_error': {
    label: 'When an extra check can’t judge a response',
    effect: 'If it is too slow, has stopped, or gives no clear verdict.',
    choices: {
      hold: { name: 'Hold it for review', effect: 'Claude doesn’t see it until you release it. If the program stops working, every response is held.' },
      builtin: { name: 'Let Sallyport’s own rules decide', effect: 'Claude keeps getting responses. Activity shows which check didn’t run.' },
    },
  },
  'guardrail.remote': {
    label: 'Send text to another computer',
    effect: 'Needed for a service on another computer. Most people turn this on for one server, on that server’s page.',
    choices: {
      on: { name: 'Send it', effect: 'The text of responses and tools leaves this computer. Sallyport replaces the passwords and keys that it recognizes, and nothing else.' },
      off: { name: 'Never', effect: 'A service on another computer doesn’t check these responses, and their review says so.' },
    },
  },
  'guardrail.timeout': {
    label: 'Wait for extra checks at most',
    effect: 'This is the longest that a response can be late. Then the setting above decides.',
    choices: {},
    typed: { allowed: 'From 100 milliseconds to 1 minute.', means: (value) => `A check that takes longer than ${amountWords(value)} doesn’t count.` },
  },
  'guardrail.llamafirewall.python': {
    label: 'Python for LlamaFirewall',
    effect: 'The one that has LlamaFirewall installed, such as /home/me/llamafirewall/bin/python.',
    choices: {},
    typed: { allowed: 'The full path of a program, or nothing.', means: (value) => (value === OFF ? NOT_SET : 'Sallyport runs this program, as you, to check with LlamaFirewall.'), field: 'text' },
  },
  'guardrail.command.argv': {
    label: 'Your program',
    effect: 'Sallyport starts it, as you, and gives it the text of every response.',
    choices: {},
    typed: { allowed: 'The program first, then each of its arguments on a line of its own. Or nothing.', means: (value) => (value === OFF ? NOT_SET : 'Sallyport runs this program, as you and without a sandbox.'), field: 'lines' },
  },
  'guardrail.http.url': {
    label: 'Address of the service',
    effect: 'Sallyport sends the text of responses there.',
    choices: {},
    typed: { allowed: 'An https address, or an http address on this computer. Or nothing.', means: (value) => (value === OFF ? NOT_SET : 'The text of responses goes to this address.'), field: 'text' },
  },
  'guardrail.http.format': {
    label: 'How the service is asked',
    effect: 'Only for a service at an address.',
    choices: {
      sallyport: { name: 'As Sallyport’s own services', effect: 'With the text and where it came from.' },
      openai: { name: 'As a chat with a model', effect: 'For services such as Ollama or llama.cpp. A model can take seconds, so allow more time.' },
    },
  },
  'guardrail.http.model': {
    label: 'Model of the service',
    effect: 'Only for a chat with a model. If empty, the service decides.',
    choices: {},
    typed: { allowed: 'A name, such as llama-guard3:8b, or nothing.', means: (value) => (value === OFF ? 'The service decides which model judges responses.' : 'This model judges responses.'), field: 'text' },
  },
  'guardrail.http.key': {
    label: 'Where the key for the service is',
    effect: 'Don’t write the key itself here. Save it with “sallyport secret set NAME” first.',
    choices: {},
    typed: { allowed: 'keychain:NAME, env:VARIABLE, or nothing.', means: (value) => (value === OFF ? 'The service is asked without a key.' : 'Sallyport sends this key to the service.'), field: 'text' },
  },
  'limits.message': {
    label: 'Largest message',
    effect: 'Sallyport blocks larger messages, in either direction. The server keeps running.',
    choices: {},
    typed: { allowed: 'From 4 KiB to 1 GiB.', means: (value) => `Messages of up to ${amountWords(value)} pass, in either direction.` },
  },
  'pins.launch': {
    label: 'When a server would start a different program',
    effect: 'A different program, script or package version than the one you allowed. Applies from the next start.',
    choices: {
      block: { name: 'Block it', effect: 'Sallyport doesn’t start it until you decide.' },
      notify: { name: 'Tell me', effect: 'It starts, and you review the change in the Inbox. Variables that load code are still blocked.' },
      off: { name: 'Don’t check', effect: 'You don’t find out when a different program runs.' },
    },
  },
  'remote.plaintext': {
    label: 'Remote servers without encryption',
    effect: 'Over plain HTTP, everybody on the way can read and change what is sent. On this computer it is always allowed.',
    choices: {
      on: { name: 'Allow plain HTTP', effect: 'Sallyport connects to other computers without encryption.' },
      off: { name: 'Only HTTPS', effect: 'Sallyport sends nothing over plain HTTP to another computer.' },
    },
  },
  'remote.idle': {
    label: 'Longest silence of a remote server',
    effect: 'A request to a remote server gets an error if nothing came back for this long.',
    choices: {},
    typed: { allowed: 'From 5 seconds to 24 hours.', means: (value) => `A request fails after ${amountWords(value)} without a byte from the server.` },
  },
  'auth.client_id': {
    label: 'Your client id for sign-ins',
    effect: 'Some services want you to register a client with them first. An id belongs to one service, so set it for one server.',
    choices: {},
    typed: { allowed: 'A client id, or nothing.', means: (value) => (value === OFF ? 'Sallyport registers itself.' : 'Sallyport signs in with this client id.'), field: 'text' },
  },
  'auth.client_secret': {
    label: 'Where the secret of that client id is',
    effect: 'Don’t write the secret itself here. Save it with “sallyport secret set NAME” first.',
    choices: {},
    typed: { allowed: 'keychain:NAME, env:VARIABLE, or nothing.', means: (value) => (value === OFF ? 'The client id has no secret.' : 'Sallyport sends this secret to the service.'), field: 'text' },
  },
  'auth.client_metadata_url': {
    label: 'Document about Sallyport for sign-ins',
    effect: 'Some services read who a client is from a web page in place of a registration.',
    choices: {},
    typed: { allowed: 'A web address, or nothing.', means: (value) => (value === OFF ? 'No document is named.' : 'Services are told this address.'), field: 'text' },
  },
  sandbox: {
    label: 'Sandbox',
    effect: 'Limits what a server’s program can reach, from its next start. Needs Linux and bubblewrap; without them the server doesn’t start.',
    choices: {
      strict: { name: 'No network, no home folder', effect: 'It also can’t reach Sallyport, other programs or the desktop.' },
      shield: { name: 'No access to Sallyport and other programs', effect: 'It can still use the network and your home folder.' },
      off: { name: 'No sandbox', effect: 'The program can read and write everything you can.' },
    },
  },
  'clients.auto_protect': {
    label: 'When a new server appears',
    effect: 'In a file you protected. Servers you left out stay left out.',
    choices: {
      on: { name: 'Guard it right away', effect: 'It stays blocked until you review it.' },
      off: { name: 'Ask me', effect: 'Claude can use it unchecked until you guard it.' },
    },
  },
  'activity.keep': {
    label: 'Keep call history for',
    effect: 'Your decisions and the changes you reviewed are kept longer.',
    choices: {},
    typed: { allowed: 'From 1 second to 100 years.', means: (value) => `Sallyport deletes records of calls after ${amountWords(value)}.` },
  },
  'activity.max_size': {
    label: 'Largest size of the history',
    effect: 'When it is full, Sallyport deletes the oldest records first and your decisions last.',
    choices: {},
    typed: { allowed: 'From 64 KiB to 1024 GiB.', means: (value) => `Sallyport deletes the oldest records when the history is larger than ${amountWords(value)}.` },
  },
  'activity.payloads': {
    label: 'Keep what calls say',
    effect: 'With each call, read or prompt: what Claude asked for, and what it got, up to 64 KiB of each.',
    choices: {
      on: { name: 'Keep it', effect: 'Passwords and keys that Sallyport recognizes are masked. Everything else is on this computer in clear until the record is deleted.' },
      off: { name: 'Don’t keep it', effect: 'The history says what was called, not what was said.' },
    },
  },
  own_tools: {
    label: 'Sallyport’s own two tools in Claude’s list',
    effect: 'Claude uses them to tell you what needs your review. They can’t allow anything.',
    choices: {
      once: { name: 'Once', effect: 'One of your servers lists them, so Claude sees each tool once.' },
      always: { name: 'With every server', effect: 'Every server lists them, which makes every request longer.' },
      waiting: { name: 'Only when needed', effect: 'Claude sees them once, while an item needs your review.' },
    },
  },
  'approvals.cli': {
    label: 'Decisions from the command line',
    effect: 'Only while this window is closed, and only for a hub started with --allow-cli-approval.',
    choices: {
      on: { name: 'Allow', effect: 'Any of your programs could then allow things without you.' },
      off: { name: 'Only in this window', effect: 'You see everything here before you allow it.' },
    },
  },
}

/** Whether we have words for it. */
export const isKnown = (key: string) => Object.hasOwn(WORDS, key)

export function wordsOf(setting: Pick<Setting, 'key' | 'doc'>): Words {
  const known = WORDS[setting.key]
  return known ? { ...known, effect: known.effect || firstSentence(setting.doc) } : { label: setting.key, effect: setting.doc, choices: {} }
}

/** The boxes of a setting of which several can be on; none for another setting. */
export function severalOf(key: string): { value: string; name: string; effect: string }[] {
  const words = WORDS[key]
  return words?.several ? Object.entries(words.choices).map(([value, choice]) => ({ value, ...choice })) : []
}

export function choiceOf(setting: Setting, value: string): { name: string; effect: string } {
  return WORDS[setting.key]?.choices[value] ?? { name: value, effect: '' }
}

/** Whether its values are texts that somebody wrote: a path, an address, a command. */
export const isFree = (key: string) => WORDS[key]?.typed?.field !== undefined

/** The value's name in our sentences. */
export function valueWords(setting: Pick<Setting, 'key'>, value: string): string {
  const words = WORDS[setting.key]
  if (value === OFF && words?.typed) return words.typed.field ? 'nothing' : (words.typed.off ?? value)
  if (words?.typed?.field) return fieldOf(value, words.typed.field).text.replaceAll('\n', ' ')
  if (words?.several) return value.split(',').map((one) => words.choices[one]?.name ?? one).join(', ')
  return words?.choices[value]?.name ?? amountWords(value)
}

/** Why a value was refused, with the labels of settings instead of their keys. The row says by itself that nothing was changed. */
export function reasonWords(reason: string): string {
  return reason.replace(/[;,] nothing was changed\.?$/, '').replace(/\b[a-z_]+(?:\.[a-z_]+)+\b/g, (key) => (isKnown(key) ? `“${WORDS[key]?.label}”` : key))
}

/** A change of a setting as the timeline has it ("KEY: BEFORE → AFTER"), in our words; "" if it is none, or we have no words for it. */
export function changedWords(change: string): string {
  const [key = '', values = ''] = change.split(/: (.*)/s)
  const [before = '', after = '', more] = values.split(' → ')
  if (!isKnown(key) || more !== undefined) return ''
  if (isFree(key)) return `“${WORDS[key]?.label}” changed`
  return /\s/.test(before + after) ? '' : `“${WORDS[key]?.label}”: ${valueWords({ key }, before)} → ${valueWords({ key }, after)}`
}

/** The effect of this value, in words; "" if there are none. */
export function meaningOf(key: string, value: string): string {
  const words = WORDS[key]
  return words?.choices[value]?.effect ?? words?.typed?.means(value) ?? ''
}

/** The allowed values, which way is safer, and the default. */
export function allowedWords(setting: Setting): string {
  const allowed = WORDS[setting.key]?.typed?.allowed ?? `${firstUpper(setting.values)}.`
  const safer = setting.safer && setting.safer !== 'neither' ? ` ${firstUpper(setting.safer)} is safer.` : ''
  return isFree(setting.key) ? allowed : `${allowed} Default: ${amountWords(setting.default)}.${safer}`
}

const UNITS: Record<string, [one: string, many: string]> = { h: ['hour', 'hours'], m: ['minute', 'minutes'], s: ['second', 'seconds'], ms: ['millisecond', 'milliseconds'] }

/** "30s" is "30 seconds", "2160h" is "90 days", "64MiB" is "64 MiB". Anything else stays as it is. */
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

function firstSentence(doc: string): string {
  const end = doc.indexOf('. ')
  return end < 0 ? doc : doc.slice(0, end + 1)
}
