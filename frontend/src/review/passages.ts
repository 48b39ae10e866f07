/**
 * The findings of each passage, by index, as the program merged them, most serious first. A finding outside all passages stands alone,
 * so none is lost.
 */
export function passagesOf(found: number, passages: readonly (readonly number[])[]): number[][] {
  const seen = new Set<number>()
  const out = passages.map((passage) => passage.filter((i) => i >= 0 && i < found && !seen.has(i) && seen.add(i))).filter((passage) => passage.length > 0)
  for (let i = 0; i < found; i++) if (!seen.has(i)) out.push([i])
  return out
}

/** The other findings of a passage, without repetitions. */
export function alsoIn<F extends { rule: string; title: string; level: string; decoded?: string }>(more: readonly F[]): { finding: F; count: number }[] {
  const out: { finding: F; count: number }[] = []
  for (const finding of more) {
    const same = out.find((o) => o.finding.rule === finding.rule && o.finding.title === finding.title && o.finding.level === finding.level && !finding.decoded && !o.finding.decoded)
    if (same) same.count++
    else out.push({ finding, count: 1 })
  }
  return out
}
