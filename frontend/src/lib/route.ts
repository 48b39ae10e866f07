/** The page's addresses: "#/inbox/4F2A". A link opens something and never decides anything. */
export type Place = 'inbox' | 'servers' | 'activity' | 'settings' | 'start'

export interface Route {
  place: Place
  /** The code of an item, the identity of a server, or "". */
  id: string
  query: URLSearchParams
}

const PLACES: readonly string[] = ['inbox', 'servers', 'activity', 'settings', 'start']

/** Any other address is the inbox. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [place = '', ...rest] = path.split('/')
  if (!PLACES.includes(place)) return { place: 'inbox', id: '', query: new URLSearchParams() }
  return { place: place as Place, id: decoded(rest.join('/')), query: new URLSearchParams(query) }
}

export function hashOf(place: Place, id = '', query?: Record<string, string>): string {
  const asked = query ? new URLSearchParams(query).toString() : ''
  return `#/${place}${id ? '/' + encodeURIComponent(id) : ''}${asked ? '?' + asked : ''}`
}

export function go(place: Place, id = '', query?: Record<string, string>): void {
  location.hash = hashOf(place, id, query)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
