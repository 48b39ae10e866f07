import type { Api, Overview } from './api'
import type { Route } from './route'

/** What every room of the page is given. */
export interface RoomProps {
  api: Api
  route: Route
  /** null until it has come. */
  overview: Overview | null
  /** Grows whenever something is not as it was: a room that reads it in an effect asks again. */
  changed: number
}
