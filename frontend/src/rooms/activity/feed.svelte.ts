import { CODES, refusalOf, type ActivityRow, type Api } from '../../lib/api'
import { queryOf, today, type Filter } from './filters'

/** Rows per request. */
export const PAGE = 200
/** The most rows in a list: beyond it, the person narrows the filter. */
export const MOST = 1000

/**
 * The visible part of the timeline, newest first. Newer rows are added only on request, so that the row under the pointer does not
 * move. Responses to outdated requests are dropped.
 */
export class Feed {
  rows = $state.raw<ActivityRow[]>([])
  /** Newer rows that are not shown yet. */
  fresh = $state.raw<ActivityRow[]>([])
  /** There are more newer rows than are kept: showing them reloads the list. */
  flooded = $state(false)
  loading = $state(true)
  older = $state(false) // there may be older rows
  reaching = $state(false) // older rows are loading
  error = $state('')
  /** When the rows were last known to be current. */
  asOf = $state('')

  private turn = 0
  private busy = false
  private again = false

  constructor(
    private readonly api: Api,
    private filter: Filter,
    private readonly now: () => Date = today,
  ) {}

  get full(): boolean {
    return this.rows.length >= MOST
  }

  /** Starts again with another filter. */
  async ask(filter: Filter): Promise<void> {
    const turn = ++this.turn
    this.filter = filter
    this.loading = true
    try {
      const answer = await this.api.activity(queryOf(filter, this.now(), PAGE))
      if (turn !== this.turn) return
      this.rows = answer.items
      this.fresh = []
      this.flooded = false
      this.older = answer.items.length >= PAGE
      this.told('')
    } catch (thrown) {
      if (turn === this.turn) this.told(refusalOf(thrown).message)
    } finally {
      if (turn === this.turn) this.loading = false
    }
  }

  /** Loads newer rows, and shows them or keeps them aside. One request at a time, and one more if a hint came meanwhile. */
  async look(show: boolean): Promise<void> {
    if (this.busy) {
      this.again = true
      return
    }
    this.busy = true
    try {
      do {
        this.again = false
        await this.newer(show)
      } while (this.again)
    } finally {
      this.busy = false
    }
  }

  private async newer(show: boolean): Promise<void> {
    const turn = this.turn
    const newest = this.fresh[0] ?? this.rows[0]
    if (!newest || (show && this.flooded)) return this.ask(this.filter)
    if (this.flooded) return
    try {
      const answer = await this.api.activity(queryOf(this.filter, this.now(), PAGE, { after: newest.id }))
      if (turn !== this.turn) return
      if (answer.items.length > 0) this.fresh = [...answer.items, ...this.fresh].slice(0, PAGE)
      this.flooded = this.flooded || answer.items.length >= PAGE || this.fresh.length >= PAGE
      this.told('')
      if (show) await this.show()
    } catch (thrown) {
      if (turn !== this.turn) return
      const refusal = refusalOf(thrown)
      // Retention removed the record that the list began with: reload.
      if (refusal.code === CODES.notFound) return this.ask(this.filter)
      this.told(refusal.message)
    }
  }

  async show(): Promise<void> {
    if (this.flooded) return this.ask(this.filter)
    if (this.fresh.length === 0) return
    const rows = [...this.fresh, ...this.rows]
    this.older = this.older || rows.length > MOST
    this.rows = rows.slice(0, MOST)
    this.fresh = []
  }

  async reach(): Promise<void> {
    const last = this.rows.at(-1)
    if (!last || this.reaching || this.full) return
    const turn = this.turn
    this.reaching = true
    try {
      const answer = await this.api.activity(queryOf(this.filter, this.now(), PAGE, { before: last.id }))
      if (turn !== this.turn) return
      this.rows = [...this.rows, ...answer.items].slice(0, MOST)
      this.older = answer.items.length >= PAGE
      this.told('')
    } catch (thrown) {
      if (turn !== this.turn) return
      const refusal = refusalOf(thrown)
      if (refusal.code === CODES.notFound) this.older = false
      else this.told(refusal.message)
    } finally {
      this.reaching = false
    }
  }

  private told(error: string): void {
    this.error = error
    if (error === '') this.asOf = this.now().toISOString()
  }
}
