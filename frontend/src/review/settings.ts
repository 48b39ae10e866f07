import type { PartDetail, Review } from '../lib/api'
import { isKnown, meaningOf, valueWords, wordsOf } from '../rooms/settings/words'

/** One value of a setting, and what holds with it. */
interface Value {
  name: string
  means: string
}

/** What a line of the settings file would change, in the words of the settings page. */
export interface SettingChange {
  key: string
  label: string
  /** Above what would change: the headline has the label where it is the only one. */
  title: string
  effect: string
  /** For whom it counts. */
  scope: string
  before: Value
  after: Value
  /** Written by somebody else: as it stands. */
  raw: string
  /** It has words here. Without them it is shown as it stands. */
  known: boolean
}

/** A part is named "KEY", with "@SERVER" and "/TOOL" behind it where it counts for one alone. */
export function keyOf(part: Pick<PartDetail, 'name'>): string {
  return part.name.split('@', 1)[0] ?? ''
}

export function labelOf(part: Pick<PartDetail, 'name'>): string {
  const key = keyOf(part)
  return isKnown(key) ? wordsOf({ key, doc: '' }).label : 'A Sallyport setting'
}

export function settingChanges(review: Review): SettingChange[] {
  return review.details.map((part) => {
    const key = keyOf(part)
    const known = isKnown(key)
    const [change] = part.changes
    const value = (raw: string): Value => (known ? { name: valueWords({ key }, raw), means: meaningOf(key, raw) } : { name: 'Another value', means: '' })
    return {
      key,
      label: labelOf(part),
      title: review.details.length === 1 ? 'What would change' : labelOf(part),
      effect: known ? wordsOf({ key, doc: '' }).effect : '',
      scope: !part.name.includes('@') ? 'for every server without its own setting' : part.name.includes('/', part.name.indexOf('@')) ? 'for one tool' : 'for one server',
      before: value(change?.before ?? ''),
      after: value(change?.after ?? ''),
      raw: `${change?.before ?? ''} → ${change?.after ?? ''}`,
      known,
    }
  })
}
