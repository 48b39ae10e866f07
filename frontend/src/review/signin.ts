import type { Review, WantedSignIn } from '../lib/api'

/** The host of an address, with its port if it names one. Server text, as the address is. */
export function hostIn(address: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(address)?.[1] ?? address
}

// One that can be read in one way only.
const PLAIN_HOST = /^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?(:\d{1,5})?$/

/** A host, in a sentence of ours. */
export const hostWords = (host: string, otherwise: string) => (PLAIN_HOST.test(host) ? host : otherwise)

/** Whether the person is signed in, and the server wants more than was allowed. */
export const wantsMore = (review: Review) => (review.signIn?.had.length ?? 0) > 0

export function signInHeadline(wanted: WantedSignIn | undefined): string {
  if (wanted?.beforeHost) return ' wants you to sign in at another place'
  return wanted && wanted.had.length > 0 ? ' wants you to allow more' : ' wants you to sign in'
}

export function signInVerdict(review: Review): string {
  const wanted = review.signIn
  if (review.decided === 'approved') return 'Sallyport keeps the token and renews it. You can sign out on the server’s page.'
  if (review.decided === 'withdrawn' || !wanted) return 'The server no longer asks for it.'
  if (wanted.plan.issuer === '') return 'There are several places where you can sign in. Choose the one where you have an account.'
  if (wanted.beforeHost) return 'You signed in somewhere else before. Sign in at the new place only if you know why it changed.'
  if (wanted.had.length > 0) return 'You are signed in, but some calls need more than you allowed. The others keep working.'
  return 'Claude can’t use it until you sign in. You do that on a page in your browser, so Sallyport never sees your password.'
}

export const REGISTERED = {
  own: 'With the client id from your settings',
  document: 'By a document that says what Sallyport is',
  dynamic: 'Sallyport registers itself there when you sign in',
  '': 'Not yet',
} as const
