import { render, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import { aboutOf, kindWords, openLabel, standing } from '../inbox/words'
import type { Review, SignedIn, SignInDecision, SignInEnd } from '../lib/api'
import SignInOfServer from '../rooms/servers/SignIn.svelte'
import { openWords } from '../rooms/servers/words'
import { at, lookAt, settle } from '../test/look'
import { itemOf, KINDS, planOf, signInReview } from '../test/reviews'
import { apiOf, lightOf, refuse, serverOf } from '../test/rooms'
import { hostIn, hostWords } from './signin'
import { blockedSince, decidedWords, ifNothing, verdict } from './words'

at('#/inbox/S1GN')

const button = (name: RegExp) => screen.getByRole('button', { name })
const kind = (name: string): Review => {
  const review = KINDS[name]
  if (!review) throw new Error(name)
  return review
}

/** A program that signs in when the test says how it ends. */
function program(review: Review) {
  const begun: SignInDecision[] = []
  const opened: string[] = []
  let ends: (end: SignInEnd) => void = () => undefined
  const stopSignIn = vi.fn(async () => ends({ signedIn: false, stopped: true, why: '', said: '' }))
  const now = { review }
  return {
    begun, opened, stopSignIn, now,
    end: (end: Partial<SignInEnd>) => ends({ signedIn: false, stopped: false, why: '', said: '', ...end }),
    answers: {
      review: async () => ({ ...now.review, nonce: now.review.nonce && 'n1' }),
      beginSignIn: async (d: SignInDecision) => {
        begun.push(d)
        if (review.signIn) now.review = { ...review, signIn: { ...review.signIn, under: { id: 'a1', host: 'auth.linear.example' } } }
        return { id: 'a1', host: 'auth.linear.example' }
      },
      openSignIn: async (id: string) => (opened.push(id), ''),
      waitSignIn: () => new Promise<SignInEnd>((resolve) => (ends = resolve)),
      stopSignIn,
    },
  }
}

async function signIn(arm: () => Promise<unknown>) {
  await arm()
  button(/^Sign in to linear/).click()
  await tick()
  await vi.advanceTimersByTimeAsync(900)
  button(/^Open in the browser/).click()
  await settle()
}

describe('a server that wants a sign-in', () => {
  it('says where, what for and how, and is blocked until then', async () => {
    const { page } = await lookAt(kind('login'))
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('linear wants you to sign in')
    expect(page.container).toHaveTextContent('You do that on a page in your browser, so Sallyport never sees your password.')
    expect(page.container).toHaveTextContent('Blocked since')
    expect(document.getElementById('sign-in-host')).toHaveTextContent('auth.linear.example')
    expect(page.container).toHaveTextContent('Page that opens')
    expect(page.container).toHaveTextContent('Sallyport registers itself there when you sign in')
    expect(screen.getByRole('group', { name: /^Text from the server “linear”/ })).toHaveTextContent('issues:read issues:write')
    expect(page.container).toHaveTextContent('If you do nothing, all of linear stays blocked.')
    expect(page.container.querySelector('a[href^="https"]')).toBeNull()
  })

  it('asks once which site opens, and begins nothing before that', async () => {
    const p = program(kind('login'))
    const { arm } = await lookAt(kind('login'), p.answers)
    await arm()
    button(/^Sign in to linear/).click()
    await tick()
    expect(screen.getByText(/Your browser opens auth\.linear\.example\. Sign in there only if you know this site\./)).toBeInTheDocument()
    expect(p.begun).toEqual([])
    await vi.advanceTimersByTimeAsync(900)
    button(/^Open in the browser/).click()
    await settle()
    expect(p.begun).toEqual([{ code: 'S1GN', issuer: '', digest: 'b24f67aa', nonce: 'n1' }])
    expect(p.opened).toEqual(['a1'])
  })

  it('waits, opens the page again, and says when it is done', async () => {
    const p = program(kind('login'))
    const { page, arm, ondecided } = await lookAt(kind('login'), p.answers)
    await signIn(arm)
    expect(document.getElementById('sign-in-waiting')).toHaveTextContent('Waiting for you on auth.linear.example…')
    expect(screen.queryByRole('button', { name: /^(Sign in|Not now)/ })).toBeNull()
    button(/^Open the page again/).click()
    await settle()
    expect(p.opened).toEqual(['a1', 'a1'])
    p.end({ signedIn: true })
    await settle()
    expect(ondecided).toHaveBeenCalledWith(expect.objectContaining({ code: 'S1GN', did: 'allowed', undo: false, words: 'You signed in to linear. Claude can use what you allow there.' }))
    expect(page.container).not.toHaveTextContent('You are not signed in')
  })

  it('shows why it failed, with the words of the other side apart from ours', async () => {
    const p = program(kind('login'))
    const { page, arm, ondecided } = await lookAt(kind('login'), p.answers)
    await signIn(arm)
    const said = 'Sallyport says: <b>allow everything</b>\u001b[31m'
    p.now.review = signInReview({ failed: { signedIn: false, stopped: false, why: 'the sign-in was declined', said } })
    p.end({ why: 'the sign-in was declined', said })
    await settle()
    expect(ondecided).not.toHaveBeenCalled()
    const card = document.getElementById('sign-in-failed')
    expect(card).toHaveTextContent('You are not signed in The sign-in was declined.')
    expect(screen.getByRole('group', { name: 'Text from the sign-in service — not from Sallyport' })).toHaveTextContent('<b>allow everything</b>')
    expect(page.container.querySelector('b')).toBeNull()
    expect(page.container.textContent).not.toContain('\u001b')
    expect(button(/^Sign in to linear/)).toBeInTheDocument()
  })

  it('stops waiting when the person says so, and can be begun again', async () => {
    const p = program(kind('login'))
    const { page, arm } = await lookAt(kind('login'), p.answers)
    await signIn(arm)
    p.now.review = kind('login')
    button(/^Stop waiting/).click()
    await settle()
    expect(p.stopSignIn).toHaveBeenCalledWith('a1')
    expect(page.container).not.toHaveTextContent('You are not signed in')
    expect(button(/^Sign in to linear/)).toBeInTheDocument()
  })

  it('shows the address where no browser could be started, as text', async () => {
    const p = program(kind('login'))
    const { page, arm } = await lookAt(kind('login'), { ...p.answers, openSignIn: async () => 'https://auth.linear.example/authorize?state=x' })
    await signIn(arm)
    expect(page.container).toHaveTextContent('Sallyport couldn’t start a browser. Open this address yourself:')
    expect(document.getElementById('sign-in-address')).toHaveTextContent('https://auth.linear.example/authorize?state=x')
    expect(page.container.querySelector('a[href*="auth.linear"]')).toBeNull()
  })

  it('goes on waiting where it was left', async () => {
    const left = signInReview({ under: { id: 'a1', host: 'auth.linear.example' } })
    const p = program(left)
    await lookAt(left, p.answers)
    expect(document.getElementById('sign-in-waiting')).toHaveTextContent('Waiting for you on auth.linear.example…')
    expect(p.opened).toEqual([])
  })

  it('stays blocked with one click', async () => {
    const { arm, kept, ondecided } = await lookAt(kind('login'))
    await arm()
    button(/^Not now: leave linear blocked/).click()
    await settle()
    expect(kept).toEqual([expect.objectContaining({ code: 'S1GN', digest: 'b24f67aa', nonce: 'n1' })])
    expect(ondecided).toHaveBeenCalledWith(expect.objectContaining({ did: 'kept', words: 'linear stays blocked until you sign in.' }))
  })

  it('says what is new where the person is signed in already', async () => {
    const { page } = await lookAt(kind('login_more'))
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('linear wants you to allow more')
    expect(page.container).toHaveTextContent('What else it asks for')
    const [added, before] = screen.getAllByRole('group', { name: /^Text from the server “linear”/ })
    expect(added).toHaveTextContent(/^admin/)
    expect(added).not.toHaveTextContent('issues:read')
    expect(before).toHaveTextContent('issues:read issues:write')
    expect(page.container.textContent).not.toContain('\u202e')
    expect(page.container).toHaveTextContent('calls that need more stay blocked. The rest of linear keeps working.')
  })

  it('warns about another place than before, and never names an odd host in our words', async () => {
    const { page, arm } = await lookAt(kind('login_moved'))
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('linear wants you to sign in at another place')
    expect(page.container).toHaveTextContent('was: auth.linear.example')
    expect(page.container).toHaveTextContent('Sign in at the new place only if you know why it changed.')
    await arm()
    button(/^Sign in to linear/).click()
    await tick()
    expect(screen.getByText(/Your browser opens the page shown above\./)).toBeInTheDocument()
  })

  it('lets the person choose one of several places, and decides on what was found out there', async () => {
    const p = program(kind('login_several'))
    const signInPlan = vi.fn(async (_: string, issuer: string) => planOf({ issuer, host: hostIn(issuer), page: issuer, pageHost: hostIn(issuer), digest: 'd-plan', nonce: 'n-plan' }))
    const { arm } = await lookAt(kind('login_several'), { ...p.answers, signInPlan })
    await arm()
    expect(screen.queryByRole('button', { name: /^Sign in/ })).toBeNull()
    screen.getByRole('radio', { name: /login\.work\.example/ }).click()
    await settle()
    expect(signInPlan).toHaveBeenCalledWith('S4GN', 'https://login.work.example')
    expect(document.getElementById('sign-in-host')).toHaveTextContent('login.work.example')
    await signIn(arm)
    expect(p.begun).toEqual([{ code: 'S4GN', issuer: 'https://login.work.example', digest: 'd-plan', nonce: 'n-plan' }])
  })

  it('says that a client id is needed, and leads to the setting', async () => {
    const signInPlan = vi.fn(async () => planOf({ registered: '' }))
    const { page } = await lookAt(signInReview({ plan: planOf({ registered: '' }) }), { signInPlan })
    expect(signInPlan).toHaveBeenCalledTimes(1)
    expect(screen.queryByRole('button', { name: /^Sign in/ })).toBeNull()
    expect(page.container).toHaveTextContent('Enter a client id first')
    expect(screen.getByRole('link', { name: 'Enter the client id' })).toHaveAttribute('href', '#/servers/url%3Ahttps%3A%2F%2Fmcp.linear.example%2Fmcp?set=auth.client_id')
    button(/^Check again/).click()
    await settle()
    expect(signInPlan).toHaveBeenCalledTimes(2)
  })

  it('says in the review why it could not begin', async () => {
    const p = program(kind('login'))
    const { page, arm } = await lookAt(kind('login'), { ...p.answers, beginSignIn: () => refuse(4000, 'that was too fast to have read it') })
    await signIn(arm)
    expect(page.container).toHaveTextContent('that was too fast to have read it')
    expect(p.opened).toEqual([])
  })
})

describe('words about a sign-in', () => {
  it.each([
    ['login', '', ['Wants a sign-in', 'blocked', '']],
    ['login', 'approved', ['Wants a sign-in', 'signed in', 'You signed in']],
    ['login', 'rejected', ['Wants a sign-in', 'not signed in', 'You didn’t sign in']],
    ['login', 'withdrawn', ['Wants a sign-in', 'no longer wanted', 'This is over: the server no longer asks for it']],
    ['login_more', '', ['Wants you to allow more', 'some calls blocked', '']],
  ] as const)('%s, %s', (name, decided, want) => {
    const review = { ...kind(name), decided }
    expect([kindWords(itemOf(review)), standing(itemOf(review)), decidedWords(review)]).toEqual(want)
  })

  it('names the host in the row, and the number of places', () => {
    expect(aboutOf(itemOf(kind('login')))).toEqual({ name: 'auth.linear.example', words: '' })
    expect(aboutOf(itemOf(kind('login_several')))).toEqual({ name: '', words: '2 places to choose from' })
    expect(openLabel(itemOf(kind('login')))).toBe('Open item S1GN: linear, wants a sign-in, review')
  })

  it('differ for a whole server and for more', () => {
    expect([blockedSince(kind('login')), blockedSince(kind('login_more'))]).toEqual(['Blocked since', 'Asked at'])
    expect(ifNothing(kind('login'))).toBe('If you do nothing, all of linear stays blocked.')
    expect(verdict(kind('login_several'))).toBe('There are several places where you can sign in. Choose the one where you have an account.')
  })

  it.each([
    ['auth.linear.example', true], ['127.0.0.1:8080', true], ['localhost', true], ['xn--pypal-4ve.example', true],
    ['p\u0430ypal.example', false], ['a.example, which is safe', false], ['', false], ['-a', false], ['a'.repeat(80), false],
  ])('a host in our words: %s', (host, plain) => {
    expect(hostWords(host, 'another')).toBe(plain ? host : 'another')
  })

  it('of the list of servers', () => {
    expect(openWords(serverOf({ light: lightOf('amber', 'Wants a sign-in', 'sign_in') }))).toBe('Sign in')
    expect(openWords(serverOf())).toBe('Review')
  })
})

describe('the sign-in of a server', () => {
  const signed = (with_: Partial<SignedIn> = {}): SignedIn => ({ signedIn: true, host: 'auth.linear.example', scopes: [], since: new Date().toISOString(), kept: 'keychain', code: '', problem: '', said: '', ...with_ })

  it('is said with its time, and ended with one press', async () => {
    const signOut = vi.fn(async () => signed({ signedIn: false, host: '', since: '' }))
    const page = render(SignInOfServer, { api: apiOf({ signInOf: async () => signed(), signOut }), identity: 'url:x', server: 'linear', changed: 0 })
    await settle()
    expect(document.getElementById('server-signed-in')).toHaveTextContent('Signed in at auth.linear.example since')
    button(/^Sign out of linear/).click()
    await settle()
    expect(signOut).toHaveBeenCalledWith('url:x')
    expect(within(page.container).getByRole('status')).toHaveTextContent('Signed out. Claude can’t use it until you sign in again.')
    expect(document.getElementById('server-signed-in')).toBeNull()
  })

  it('leads to the item where one is wanted, and says what failed last', async () => {
    const page = render(SignInOfServer, { api: apiOf({ signInOf: async () => signed({ signedIn: false, code: 'S1GN', problem: 'auth.linear.example did not respond', said: 'busy <i>now</i>' }) }), identity: 'url:x', server: 'linear', changed: 0 })
    await settle()
    expect(screen.getByRole('link', { name: 'Sign in: open item S1GN' })).toHaveAttribute('href', '#/inbox/S1GN')
    expect(page.container).toHaveTextContent('The last attempt failed. Auth.linear.example did not respond.')
    expect(page.container.querySelector('i')).toBeNull()
  })

  it('is not mentioned for a server that never wanted one', async () => {
    const page = render(SignInOfServer, { api: apiOf({ signInOf: async () => signed({ signedIn: false }) }), identity: 'url:x', server: 'linear', changed: 0 })
    await settle()
    expect(page.container.textContent?.trim()).toBe('')
  })
})
