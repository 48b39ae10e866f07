export type * from './told'

/** What the page is told without asking. Hints only: they carry no content but a route of ours. */
export interface Events {
  /** Something is not as it was: ask again. Returns how to stop listening. */
  onChanged(listener: () => void): () => void
  onRoute(listener: (route: string) => void): () => void
  onTheme(listener: () => void): () => void
}

/** A rejected promise of Api carries this. */
export interface Refusal {
  code: number
  message: string
  see?: string
}

export const CODES = {
  badRequest: 4000,
  notFound: 4004,
  stale: 4009,
  loosens: 4014,
  unavailable: 4050,
} as const

/** What went wrong, whatever was thrown. Over the bindings a refusal comes as the message of an Error, in JSON. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Error && thrown.message.startsWith('{"code":')) {
    try {
      return refusalOf(JSON.parse(thrown.message))
    } catch {
      // it only looks like one
    }
  }
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { code, message, see } = thrown as Partial<Refusal>
    return { code: typeof code === 'number' ? code : 0, message: String(message), see: see ?? '' }
  }
  return { code: 0, message: String(thrown) }
}
