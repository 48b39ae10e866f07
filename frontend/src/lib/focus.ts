/**
 * Focuses an element that the page itself moves to. While a dialog is open the focus stays in it: elements behind it can't take the
 * focus, but a web view that has not drawn the dialog yet does not know that, and nothing would have the focus.
 */
export function focusOn(target: HTMLElement | null | undefined): void {
  const dialog = document.querySelector('dialog[open]')
  if (target && (!dialog || dialog.contains(target))) target.focus()
}

/**
 * Tracks whether a person uses the keyboard: only then does a heading that the page focuses get a ring. The web view's own rule
 * (:focus-visible) would draw it around every headline that a click opens. Returns a function that stops it.
 */
export function followKeyboard(root: HTMLElement = document.documentElement): () => void {
  const key = (e: KeyboardEvent) => {
    if (!['Shift', 'Control', 'Alt', 'Meta'].includes(e.key)) root.dataset['keyboard'] = ''
  }
  const pointer = () => delete root.dataset['keyboard']
  window.addEventListener('keydown', key, true)
  window.addEventListener('pointerdown', pointer, true)
  return () => {
    window.removeEventListener('keydown', key, true)
    window.removeEventListener('pointerdown', pointer, true)
  }
}
