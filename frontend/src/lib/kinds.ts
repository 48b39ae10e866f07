/** The kind of something a server declares, as people know it: a resource that a client draws (MCP Apps, `ui://`) is a page. */
export const kindOf = (kind: string, name: string): string => (kind === 'resource' && /^ui:\/\//i.test(name) ? 'page' : kind)

/** The same for a name such as `resource:ui://shop/main`. */
export function kindOfItem(item: string): string {
  const colon = item.indexOf(':')
  return colon < 0 ? item : kindOf(item.slice(0, colon), item.slice(colon + 1))
}

const COUNTED: readonly [kind: string, one: string, many: string][] = [
  ['prompt', 'prompt', 'prompts'], ['page', 'page', 'pages'], ['resource', 'resource', 'resources'], ['skill', 'skill', 'skills'],
]

/** What a server offers, in numbers: tools, and the kinds of everything else it declares. */
export function countedWords(tools: number, items: readonly string[]): string {
  const kinds = items.map((item) => kindOfItem(item).replace('-template', ''))
  const words = [tools === 1 ? '1 tool' : `${tools} tools`]
  for (const [kind, one, many] of COUNTED) {
    const n = kinds.filter((k) => k === kind).length
    if (n > 0) words.push(n === 1 ? `1 ${one}` : `${n} ${many}`)
  }
  if (kinds.includes('instructions')) words.push('instructions')
  return words.join(', ')
}
