// What every screen is held to.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Nothing that axe complains of, of any weight; no id twice; nothing that the browser complains of. */
export async function readable(page) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.addScriptTag({ path: axe })
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'], rules: { 'label-content-name-mismatch': { enabled: true } } }))
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ''}`).slice(0, 4).join('; ')}`), [])
  const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map((e) => e.id))
  assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), [], 'ids that are there twice')
  assert.deepEqual(page.problems, [])
}

/** What must never be in the document as it is: zero width, bidirectional, tags, escapes. */
export const invisible = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u001b]|[\u{e0000}-\u{e007f}]/u
