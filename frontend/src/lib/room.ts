import type { Api, Overview } from './api'
import type { Route } from './route'

/** Props of every room of the page. */
export interface RoomProps {
  api: Api
  route: Route
  /** null until it is loaded. */
  overview: Overview | null
  /** Grows with every change: a room that reads it in an effect asks again. */
  changed: number
}
