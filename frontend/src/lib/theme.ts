/** Sets the theme of the page. "system" follows the desktop, also while the window is open. Returns a function that stops it. */
export function followTheme(theme: 'light' | 'dark' | 'system'): () => void {
  const root = document.documentElement
  if (theme !== 'system') {
    root.dataset['theme'] = theme
    return () => undefined
  }
  const dark = window.matchMedia('(prefers-color-scheme: dark)')
  const apply = () => (root.dataset['theme'] = dark.matches ? 'dark' : 'light')
  apply()
  dark.addEventListener('change', apply)
  return () => dark.removeEventListener('change', apply)
}
