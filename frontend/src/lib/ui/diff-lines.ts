export type DiffLine = { kind: 'add' | 'del' | 'same'; text: string } | { kind: 'gap' }

/** The lines of a unified diff without its headers, up to a limit. */
export function diffLines(diff: string, most = 2000): DiffLine[] {
  const out: DiffLine[] = []
  for (const line of diff.split('\n').slice(0, most)) {
    if (line.startsWith('--- ') || line.startsWith('+++ ') || line.startsWith('\\') || line === '') continue
    if (line.startsWith('@@')) {
      if (out.length > 0) out.push({ kind: 'gap' })
      continue
    }
    const kind = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : 'same'
    out.push({ kind, text: line.slice(1).replace(/\r$/, '') })
  }
  return out
}
