/// <reference types="node" />
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((f) => /\.(svelte|ts|js)$/.test(f) && !f.startsWith('api/wailsjs') && !f.startsWith('test/'))
  .map((f) => ({ name: f, text: readFileSync(join('src', f), 'utf8') }))

it('nowhere does the page turn a string into markup', () => {
  const markup = /\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment|DOMParser/
  expect(FILES.filter((f) => markup.test(f.text)).map((f) => f.name)).toEqual([])
})

it('nowhere does the page name a place outside of itself', () => {
  const remote = /\b(?:https?|wss?):\/\/|url\(|<iframe|<img|XMLHttpRequest|\bfetch\(/
  const own = FILES.filter((f) => !f.name.endsWith('.test.ts'))
  expect(own.filter((f) => remote.test(f.text)).map((f) => f.name)).toEqual([])
})

it('no component has a style of its own in an attribute, which the policy of the window forbids', () => {
  expect(FILES.filter((f) => f.name.endsWith('.svelte') && /\sstyle=["{]/.test(f.text)).map((f) => f.name)).toEqual([])
})

it('only bound.ts speaks to the generated bindings, and only main.ts to bound.ts', () => {
  expect(FILES.filter((f) => /^import (?!type ).*from '.*wailsjs/m.test(f.text)).map((f) => f.name)).toEqual(['lib/bound.ts'])
  expect(FILES.filter((f) => /from '.*wailsjs/.test(f.text)).map((f) => f.name).sort()).toEqual(['lib/bound.ts', 'lib/told.ts'])
  expect(FILES.filter((f) => /from '.*\/bound'/.test(f.text)).map((f) => f.name)).toEqual(['main.ts'])
})
