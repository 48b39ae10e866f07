import type { Finding } from '../lib/api'

const RANK: Record<string, number> = { critical: 4, high: 3, medium: 2, low: 1 }
const NEAR = 32

/** The program's folding (proxy/inspect/finding.go) for what tests make up themselves; passages.test.ts holds it to the program's own file of cases. */
export function foldingOf(findings: readonly Pick<Finding, 'where' | 'start' | 'end' | 'level'>[]): number[][] {
  const out: { where: string; end: number; of: number[] }[] = []
  const placed: number[] = []
  findings.forEach((f, i) => (f.end > f.start ? placed.push(i) : out.push({ where: f.where ?? '', end: -NEAR - 1, of: [i] })))
  const at = (i: number) => ({ where: '', ...(findings[i] as Finding) })
  placed.sort((a, b) => (at(a).where === at(b).where ? at(a).start - at(b).start || a - b : at(a).where < at(b).where ? -1 : 1))
  let open: (typeof out)[number] | undefined
  for (const i of placed) {
    if (open?.where === at(i).where && at(i).start <= open.end + NEAR) {
      open.of.push(i)
      open.end = Math.max(open.end, at(i).end)
    } else {
      open = { where: at(i).where, end: at(i).end, of: [i] }
      out.push(open)
    }
  }
  for (const p of out) p.of.sort((a, b) => (RANK[at(b).level] ?? 0) - (RANK[at(a).level] ?? 0) || a - b)
  return out.map((p) => p.of).sort((a, b) => Math.min(...a) - Math.min(...b))
}
