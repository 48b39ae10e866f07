/**
 * Focuses what the page moves to by itself. While a dialog is open the focus stays in it: what is behind it cannot take the focus,
 * but a web view that has not drawn the dialog yet does not know, and gives it to nobody.
 */
export function focusOn(target: HTMLElement | null | undefined): void {
  const dialog = document.querySelector('dialog[open]')
  if (target && (!dialog || dialog.contains(target))) target.focus()
}

/**
 * Follows whether a person moves by keyboard: only then a heading that the page moves the focus to has a ring. The web views'
 * own guess (:focus-visible) draws it around every headline that a click opens. Returns how to stop.
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
