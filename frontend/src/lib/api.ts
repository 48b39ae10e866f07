export type * from './told'

/** Events are only hints: they carry no content except a route of ours. */
export interface Events {
  /** Something changed: ask again. Returns a function that stops listening. */
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

/** The reason of a failure, whatever was thrown. The bindings send a refusal as JSON in an Error's message. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Error && thrown.message.startsWith('{"code":')) {
    try {
      return refusalOf(JSON.parse(thrown.message))
    } catch {
      // it only looks like JSON
    }
  }
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { code, message, see } = thrown as Partial<Refusal>
    return { code: typeof code === 'number' ? code : 0, message: String(message), see: see ?? '' }
  }
  return { code: 0, message: String(thrown) }
}
