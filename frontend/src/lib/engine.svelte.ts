import { getContext, setContext } from 'svelte'
import { refusalOf, type Api } from './api'
import { stampNow } from './ui/time'

const BEAT = 2500
/** Why it counts as silent where it says nothing at all. */
export const NO_ANSWER = 'it doesn’t respond'

/** With one beat in between it is told within five seconds. */
const PATIENCE = 2300

/**
 * Whether the program answers. It is asked while the window is seen; one that says nothing is as silent as one that refuses.
 * Nothing is decided meanwhile: what would be allowed may be something else by now.
 */
export class Engine {
  /** Why it does not answer, "" while it does. */
  silent = $state('')
  /** When it answered last, RFC 3339; "" before it did. */
  answered = $state('')

  #api: Api
  #askAll: () => void
  #asked: Promise<void> | null = null
  #timer: ReturnType<typeof setInterval> | undefined

  /** askAll: it answers after a silence, so all that is shown is asked for again. The overview's answer ends the silence. */
  constructor(api: Api, askAll: () => void) {
    this.#api = api
    this.#askAll = askAll
  }

  /** Asks until the answer to this is called. */
  follow(): () => void {
    this.#timer = setInterval(() => void this.beat(), BEAT)
    return () => clearInterval(this.#timer)
  }

  async beat(): Promise<void> {
    if (document.visibilityState === 'hidden') return
    // One question is out at most: it is the same one that is waited for again.
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

  /** It answered. */
  heard(): void {
    this.answered = stampNow()
    this.silent = ''
  }
}

const KEY = Symbol('engine')

export function provideEngine(engine: Engine): Engine {
  return setContext(KEY, engine)
}

/** What every button that decides asks first. Where nobody provides it, as in a room alone, it answers. */
export function engineOf(): Pick<Engine, 'silent' | 'answered'> {
  return getContext<Engine | undefined>(KEY) ?? { silent: '', answered: '' }
}

/** Why a button does nothing now. */
export const SILENT_REASON = 'Sallyport’s engine isn’t responding, so you can’t decide anything now.'
