import { visible } from '../rooms/activity/plain'
import { rankOf, type Warning } from './findings'

const MOST = 300

/** A warning as plain text, for who keeps the rules: what was found by which rule, and the few words around it. It can do nothing where it is put. */
export function reportOf(warning: Warning): string {
  const { finding } = warning
  const lines: [string, string][] = [
    ['Warning', finding.title],
    ['Rule', finding.rule],
    ['Level', rankOf(finding) > 0 ? finding.level : 'unknown'],
    ['Where', finding.where],
    ['Matched', finding.match.slice(0, MOST)],
    ['Decoded', finding.decoded.slice(0, MOST)],
  ]
  return ['I think this warning is a mistake.', ...lines.filter(([, words]) => words !== '').map(([label, words]) => `${label.padEnd(8)} ${visible(words)}`)].join('\n')
}
