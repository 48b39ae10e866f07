import { getContext, setContext } from 'svelte'
import { refusalOf, type Api } from './api'
import { stampNow } from './ui/time'

const BEAT = 2500
/** The reason shown if it says nothing at all. */
export const NO_ANSWER = 'it doesn’t respond'

/** With one beat in between, silence is reported within five seconds. */
const PATIENCE = 2300

/**
 * Whether the program responds. It is asked while the window is visible; no response counts like a refusal. Meanwhile nothing can be
 * decided: what is pending may have changed.
 */
export class Engine {
  /** Why it does not respond, "" if it does. */
  silent = $state('')
  /** When it last responded, RFC 3339; "" before the first time. */
  answered = $state('')

  #api: Api
  #askAll: () => void
  #asked: Promise<void> | null = null
  #timer: ReturnType<typeof setInterval> | undefined

  /** askAll: after a silence, everything on screen is requested again. The overview's response ends the silence. */
  constructor(api: Api, askAll: () => void) {
    this.#api = api
    this.#askAll = askAll
  }

  /** Asks repeatedly until the returned function is called. */
  follow(): () => void {
    this.#timer = setInterval(() => void this.beat(), BEAT)
    return () => clearInterval(this.#timer)
  }

  async beat(): Promise<void> {
    if (document.visibilityState === 'hidden') return
    // At most one request is out: keep waiting for the same one.
    this.#asked ??= this.#api.alive().finally(() => (this.#asked = null))
    let late: ReturnType<typeof setTimeout> | undefined
    const patience = new Promise<never>((_, give) => (late = setTimeout(() => give({ code: 0, message: NO_ANSWER }), PATIENCE)))
    try {
      await Promise.race([this.#asked, patience])
      if (this.silent === '') this.heard()
      else this.#askAll()
    } catch (thrown) {
      this.silent = refusalOf(thrown).message
    } finally {
      clearTimeout(late)
    }
  }

  /** It responded. */
  heard(): void {
    this.answered = stampNow()
    this.silent = ''
  }
}

const KEY = Symbol('engine')

export function provideEngine(engine: Engine): Engine {
  return setContext(KEY, engine)
}

/** For every button that decides. Without a provider, as in a room rendered alone, the program counts as responding. */
export function engineOf(): Pick<Engine, 'silent' | 'answered'> {
  return getContext<Engine | undefined>(KEY) ?? { silent: '', answered: '' }
}

/** Why a button is disabled. */
export const SILENT_REASON = 'Sallyport’s engine isn’t responding, so you can’t decide anything now.'
