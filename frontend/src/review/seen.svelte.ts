import { SvelteSet } from 'svelte/reactivity'
import type { Action } from './action'
import { rankOf, type Warning } from './findings'

const LETS = ['allow', 'release', 'without', 'except']

/** Which warnings were on the screen or had the focus, so that nobody allows what they have not looked at. */
export class Seen {
  #numbers = new SvelteSet<number>()

  add(number: number): void {
    this.#numbers.add(number)
  }

  /** High and Critical warnings about what an action would allow, that nobody has looked at yet. */
  unseen(action: Action, warnings: Warning[]): Warning[] {
    if (!LETS.includes(action.call) || action.ask === 'once') return []
    const about = (w: Warning) => w.item === '' || (action.items.length > 0 && action.items.includes(w.item))
    return warnings.filter((w) => rankOf(w.finding) >= 3 && about(w) && !this.#numbers.has(w.number))
  }
}

/** Calls back once the whole element was visible, or something in it had the focus. If that can't be observed, it counts as seen. */
export function whenSeen(element: HTMLElement, seen: () => void): { destroy: () => void } {
  if (typeof IntersectionObserver === 'undefined') {
    seen()
    return { destroy: () => undefined }
  }
  const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && seen(), { threshold: 0.99 })
  observer.observe(element)
  element.addEventListener('focusin', seen)
  return {
    destroy: () => {
      observer.disconnect()
      element.removeEventListener('focusin', seen)
    },
  }
}
