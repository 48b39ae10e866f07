export type Colour = 'grey' | 'green' | 'amber' | 'red'

/** How a server is, or all of them. The program computes it, in its words; the page shows it. */
export interface Light {
  colour: Colour
  state: string
  words: string
  /** What a person can do, "" where there is nothing. */
  next: string
}
