import type { PartDetail, Review } from '../lib/api'
import { isFree, isKnown, meaningOf, valueWords, wordsOf } from '../rooms/settings/words'

/** One value of a setting, and its effect. */
interface Value {
  name: string
  means: string
}

/** A change in the settings file, in the words of the settings page. */
export interface SettingChange {
  key: string
  label: string
  /** Heading of the change; the headline has the label if there is only one. */
  title: string
  effect: string
  /** Where it applies. */
  scope: string
  before: Value
  after: Value
  /** Verbatim, written by somebody else. */
  raw: string
  /** It is shown verbatim: we have no words for it, or its values are texts that somebody wrote. */
  verbatim: boolean
}

/** A part is named "KEY", followed by "@SERVER" and "/TOOL" if it applies to one. */
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
    const told = known && !isFree(key)
    const nameOf = (raw: string) => (told ? valueWords({ key }, raw) : known && raw === 'off' ? 'Nothing' : known ? 'The text below' : 'Another value')
    const value = (raw: string): Value => ({ name: nameOf(raw), means: known ? meaningOf(key, raw) : '' })
    return {
      key,
      label: labelOf(part),
      title: review.details.length === 1 ? 'What would change' : labelOf(part),
      effect: known ? wordsOf({ key, doc: '' }).effect : '',
      scope: !part.name.includes('@') ? 'for every server without its own setting' : part.name.includes('/', part.name.indexOf('@')) ? 'for one tool' : 'for one server',
      before: value(change?.before ?? ''),
      after: value(change?.after ?? ''),
      raw: `${change?.before ?? ''} → ${change?.after ?? ''}`,
      verbatim: !told,
    }
  })
}
