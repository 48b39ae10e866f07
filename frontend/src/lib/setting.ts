export interface Setting {
  key: string
  value: string
  default: string
  from: string // default, settings, server, tool
  doc: string
  /** what is allowed, in words: "off, warn, strict" */
  values: string
  /** the values to choose from, where there are few; else empty */
  choices: string[]
  /** which way is safer, in words */
  safer: string
  /** less safe than its default */
  lessSafe: boolean
  scope: string // global, server, tool
  /** set in the window only */
  window: boolean
}

export interface SetSetting {
  key: string
  value: string
  /** identity, or "" */
  server: string
  /** of confirmLoosening, or "" */
  nonce: string
}

export interface Confirm {
  nonce: string
  /** What stops being checked, in words. */
  words: string
  armAfterMs: number
}
