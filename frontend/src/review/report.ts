import { visible } from '../rooms/activity/plain'
import { besideOf, findingsOf, rankOf, type Warning } from './findings'

const MOST = 300
/** How many rules of a passage a report names. */
const FEW = 12

/**
 * A warning as plain text, for the maintainers of the rules: the rules, and the few words around the match. The text is harmless
 * wherever it is pasted.
 */
export function reportOf(warning: Warning): string {
  const lines = findingsOf([warning]).slice(0, FEW).flatMap((finding): [string, string][] => [
    ['Warning', finding.title],
    ['Rule', finding.rule],
    ['Level', rankOf(finding) > 0 ? finding.level : 'unknown'],
    ['Where', finding.where ?? ''],
    ['Matched', finding.match?.slice(0, MOST) ?? ''],
    [besideOf(finding), finding.decoded?.slice(0, MOST) ?? ''],
  ])
  return ['I think this warning is a mistake.', ...lines.filter(([, words]) => words !== '').map(([label, words]) => `${label.padEnd(8)} ${visible(words)}`)].join('\n')
}
