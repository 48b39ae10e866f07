/** The places of the findings of each passage, as the program folded them, the gravest first. One that no passage has stands alone: nothing is folded away. */
export function passagesOf(found: number, passages: readonly (readonly number[])[]): number[][] {
  const seen = new Set<number>()
  const out = passages.map((passage) => passage.filter((i) => i >= 0 && i < found && !seen.has(i) && seen.add(i))).filter((passage) => passage.length > 0)
  for (let i = 0; i < found; i++) if (!seen.has(i)) out.push([i])
  return out
}

/** What else is in a passage, the same thing once. */
export function alsoIn<F extends { rule: string; title: string; level: string; decoded: string }>(more: readonly F[]): { finding: F; count: number }[] {
  const out: { finding: F; count: number }[] = []
  for (const finding of more) {
    const same = out.find((o) => o.finding.rule === finding.rule && o.finding.title === finding.title && o.finding.level === finding.level && !finding.decoded && !o.finding.decoded)
    if (same) same.count++
    else out.push({ finding, count: 1 })
  }
  return out
}
