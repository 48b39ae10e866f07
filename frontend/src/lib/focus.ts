/**
 * Focuses what the page moves to by itself. While a dialog is open the focus stays in it: what is behind it cannot take the focus,
 * but a web view that has not drawn the dialog yet does not know, and gives it to nobody.
 */
export function focusOn(target: HTMLElement | null | undefined): void {
  const dialog = document.querySelector('dialog[open]')
  if (target && (!dialog || dialog.contains(target))) target.focus()
}
