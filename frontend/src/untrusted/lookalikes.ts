/** Words that mix letters of two scripts, or use decorated letters, to read as another word. */

const LATIN: Record<string, string> = {
  а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ё: 'e', һ: 'h', і: 'i', ї: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', н: 'h', о: 'o', р: 'p', ԛ: 'q', г: 'r',
  ѕ: 's', т: 't', у: 'y', ѵ: 'v', ԝ: 'w', х: 'x', ү: 'y', А: 'A', В: 'B', С: 'C', Е: 'E', Н: 'H', І: 'I', Ј: 'J', К: 'K', М: 'M', О: 'O', Р: 'P',
  Ѕ: 'S', Т: 'T', У: 'Y', Х: 'X', Ѵ: 'V', Ԝ: 'W', Ү: 'Y', α: 'a', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x',
  γ: 'y', ϲ: 'c', ϳ: 'j', Α: 'A', Β: 'B', Ε: 'E', Ζ: 'Z', Η: 'H', Ι: 'I', Κ: 'K', Μ: 'M', Ν: 'N', Ο: 'O', Ρ: 'P', Τ: 'T', Υ: 'Y', Χ: 'X',
  օ: 'o', ս: 'u', հ: 'h', ո: 'n', ց: 'g', ɑ: 'a', ɡ: 'g', ı: 'i', ꮯ: 'c', Ꭺ: 'A', Ꭼ: 'E', Ꮇ: 'M', Ꮪ: 'S', Ꭲ: 'i',
}

const SCRIPTS: [string, RegExp][] = [
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
]

/** What is wrong with a word, in our words with its plain reading; "" if nothing is. */
export function lookalike(word: string): string {
  if (/^[\x20-\x7e]*$/.test(word)) return ''
  const folded = word.normalize('NFKC')
  if (folded !== word && /^[\x21-\x7e]+$/.test(folded)) {
    return `looks like “${folded}” but uses other letter forms`
  }
  const scripts = SCRIPTS.filter(([, pattern]) => pattern.test(word))
  if (scripts.length === 0 || (scripts.length === 1 && !/\p{Script=Latin}/u.test(word))) return ''
  const plain = [...folded].map((c) => LATIN[c] ?? c).join('')
  const odd = [...word].find((c) => scripts.some(([, pattern]) => pattern.test(c))) ?? ''
  const script = scripts.find(([, pattern]) => pattern.test(odd))?.[0] ?? ''
  return /^[\x21-\x7e]+$/.test(plain) ? `looks like “${plain}” but uses ${script} ${odd}` : `mixes letters of two scripts, one of them ${script}`
}
