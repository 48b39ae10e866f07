/** A server can declare an item otherwise to clients of each protocol era: then the item has two forms, each a part of its own. */
export interface Formed {
  item: string
  era?: string
}

/** Identifies a part, in decisions too (review.PartKey). */
export const partKey = (part: Formed) => (part.era ? `${part.item}\0${part.era}` : part.item)

/** For which clients a form is, in two words; "" if for all. */
export function eraShort(era: string | undefined): string {
  return { legacy: 'older clients', modern: 'newer clients' }[era ?? ''] ?? ''
}

/** The same, in full. */
export function eraWords(era: string | undefined): string {
  return { legacy: 'clients that speak MCP 2025-11-25 or earlier', modern: 'clients that speak MCP 2026-07-28 or later' }[era ?? ''] ?? ''
}

/** What form this is, and with which it is compared. */
export function formWords(part: { era?: string; approvedEra?: string }): string {
  const compared = part.approvedEra && part.approvedEra !== part.era ? ` Compared with what you allowed for ${eraWords(part.approvedEra)}.` : ''
  return `As the server declares it to ${eraWords(part.era)}.${compared}`
}
