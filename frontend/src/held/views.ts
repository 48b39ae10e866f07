/** Other views of the same text, for what can't be seen. */
export type View = 'readable' | 'escaped' | 'hex'

export const VIEWS: readonly { view: View; name: string }[] = [
  { view: 'readable', name: 'Readable' },
  { view: 'escaped', name: 'Escaped' },
  { view: 'hex', name: 'Hex' },
]

/** How many bytes are shown as hex. */
export const HEX = 4000

const SHORT: Record<string, string> = { '\n': '\\n\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

/** Every character that is not plain ASCII as its number. Line breaks stay. */
export function escaped(text: string): string {
  return Array.from(text, (c) => SHORT[c] ?? (c >= ' ' && c <= '~' ? c : `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`)).join('')
}

/** The first bytes, sixteen to a line. */
export function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, HEX)).slice(0, HEX)
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.slice(at, at + 16)]
    const digits = row.map((b) => b.toString(16).padStart(2, '0')).join(' ').padEnd(47)
    lines.push(`${at.toString(16).padStart(4, '0')}  ${digits}  ${row.map((b) => (b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : '.')).join('')}`)
  }
  return lines.join('\n')
}
