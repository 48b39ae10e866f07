/** Subject, server and verb of a headline; names are the server's and are marked as such. */
export interface Headline {
  before: string
  /** server text */
  name: string
  between: string
  /** server text */
  server: string
  /** server text: of the server, named behind it */
  part: string
  after: string
}
