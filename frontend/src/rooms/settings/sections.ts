import type { Setting } from '../../lib/api'

/** A card of settings. */
export interface Section {
  id: string
  title: string
  /** What all of it is about; "" if the title says it. */
  intro: string
  keys: readonly string[]
  /** Settings that few people need, behind a button. */
  folded: readonly string[]
  /** What that button says. */
  more: string
}

const MORE_SETTINGS = 'More settings'

export const SECTIONS: readonly Section[] = [
  { id: 'checks', title: 'Checks', intro: '', keys: ['pins.first_use', 'pins.resources', 'pins.recheck'], folded: ['pins.recheck_timeout', 'limits.message'], more: MORE_SETTINGS },
  { id: 'startup', title: 'How servers start', intro: '', keys: ['pins.launch', 'sandbox'], folded: ['remote.plaintext', 'remote.idle', 'auth.client_id', 'auth.client_secret', 'auth.client_metadata_url'], more: MORE_SETTINGS },
  {
    id: 'claims', title: 'What tools say about themselves', intro: 'Claude reads names and descriptions before it uses a tool.',
    keys: ['inspect.descriptions', 'sanitizer.profile'], folded: [], more: MORE_SETTINGS,
  },
  { id: 'calls', title: 'Calls', intro: '', keys: ['tools.mode', 'flow.policy'], folded: ['tools.class'], more: MORE_SETTINGS },
  {
    id: 'responses', title: 'Responses and requests', intro: '',
    keys: ['redact.mode', 'redact.profile', 'interaction.policy', 'inspect.on_limit', 'spotlight', 'quarantine.retention'],
    folded: ['inspect.max_bytes', 'sanitizer.ansi', 'inspect.rules'], more: MORE_SETTINGS,
  },
  {
    id: 'structured', title: 'Structured responses', intro: 'A tool can promise the form of its data. You allow that promise together with the tool.',
    keys: ['output_validation.mode', 'output_validation.missing_structured_content'], folded: ['output_validation.max_bytes', 'output_validation.max_depth'], more: MORE_SETTINGS,
  },
  {
    id: 'extra', title: 'Extra checks', intro: 'Other programs can check responses, too. The most serious verdict counts, so they can only add warnings.',
    keys: ['guardrail.provider', 'guardrail.on_error', 'guardrail.remote'],
    folded: ['guardrail.timeout', 'guardrail.llamafirewall.python', 'guardrail.command.argv', 'guardrail.http.url', 'guardrail.http.format', 'guardrail.http.model', 'guardrail.http.key'],
    more: 'Where they are, and how long they take',
  },
  { id: 'files', title: 'Claude’s file', intro: '', keys: ['clients.auto_protect'], folded: [], more: MORE_SETTINGS },
  { id: 'activity', title: 'Activity', intro: '', keys: ['activity.keep', 'activity.max_size', 'activity.payloads'], folded: [], more: MORE_SETTINGS },
  { id: 'decisions', title: 'Claude and the command line', intro: '', keys: ['own_tools', 'approvals.cli'], folded: [], more: MORE_SETTINGS },
]

const MORE: Section = { id: 'more', title: 'More', intro: '', keys: [], folded: [], more: MORE_SETTINGS }

/** A section with its settings. */
export interface Filled extends Omit<Section, 'keys' | 'folded'> {
  settings: Setting[]
  folded: Setting[]
}

/** All settings by section; those without a section come last. A section with nothing but folded settings shows them. */
export function sectionsOf(settings: readonly Setting[]): Filled[] {
  const placed = new Set(SECTIONS.flatMap(({ keys, folded }) => [...keys, ...folded]))
  const among = (keys: readonly string[]) => keys.flatMap((key) => settings.filter((s) => s.key === key))
  const rest = settings.filter((s) => !placed.has(s.key)).map((s) => s.key)
  return [...SECTIONS, { ...MORE, keys: rest }]
    .map((section) => {
      const [shown, folded] = [among(section.keys), among(section.folded)]
      return { ...section, settings: shown.length ? shown : folded, folded: shown.length ? folded : [] }
    })
    .filter((section) => section.settings.length > 0)
}
