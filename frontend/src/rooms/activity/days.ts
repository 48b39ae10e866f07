import { dayWords } from '../../lib/ui/time'

export function dayTitle(start: number, now = new Date()): string {
  const words = dayWords(new Date(start).toISOString(), now)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
