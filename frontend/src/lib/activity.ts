export interface ActivityQuery {
  server: string
  tool: string
  /** one kind, or several with commas between */
  kind: string
  /** one status, or several with commas between */
  status: string
  /** RFC 3339, or "" */
  since: string
  limit: number
  /** a record id: only later ones, the first `limit` of them */
  after: string
  /** a record id: only older ones, the newest `limit` of them */
  before: string
  /** looked for in server, tool, code and summary */
  text: string
}

export interface Activity {
  /** newest first */
  items: ActivityRow[]
}

export interface ActivityRow {
  /** how the program shows its server */
  shown: string
  id: string
  time: string
  kind: string
  status: string // ok, warned, blocked, held, error
  /** server text */
  server: string
  /** server text */
  tool: string
  /** server text: what a read names, "" for other records */
  named: string
  code: string
  mode: string
  /** ours */
  summary: string
  client: string
  durationUs: number
  bytes: number
}

export interface ActivityRecord extends ActivityRow {
  /** pretty printed JSON; may hold server text */
  detail: string
  session: string
  request: string
  prev: string
  hash: string
}
