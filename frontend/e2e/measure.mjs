// How soon the page answers with a long record: 5,000 calls through a real wrapper, then searching and filtering in a browser.
// `make bench-page` runs it and prints the figures for docs/performance.md. From the last key or the press until the other rows
// are drawn; the search waits for a pause in the typing first, which is part of it.
import { House, openBrowser, until } from './house.mjs'

const CALLS = 5000
const ROUNDS = 15

const house = await House.make()
const browser = await openBrowser()
try {
  const weather = await house.server('weather')
  await house.allowed(weather)
  await house.open()
  const client = await house.wrap(weather)
  await until('it runs', async () => !(await client.call('get_forecast', { city: 'Lisbon' })).isError)
  for (let done = 0; done < CALLS; done += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => client.call(i % 3 ? 'get_forecast' : 'get_alerts', { city: 'Lisbon' })))
  await client.call('list_cities')
  await until('all of it is on record', async () => /"tool": ?"list_cities"/.test((await house.command('activity', 'list', '--json', '--limit', '5')).out))

  const page = await house.page(browser, '#/activity')
  await page.getByRole('button', { name: /^Show older/ }).waitFor()
  const samples = {}
  /** Acts, and waits until what is shown is what was asked for and was drawn. */
  const measure = async (what, selector, value, shows) => {
    const ms = await page.evaluate(
      ({ selector, value, shows }) =>
        new Promise((done, fail) => {
          const list = document.querySelector('.activity .list')
          let asking = false
          const start = performance.now()
          const deadline = setTimeout(() => fail(new Error(`nothing else is shown after ${selector}`)), 10_000)
          const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
          new MutationObserver((_, observer) => {
            asking ||= list.getAttribute('aria-busy') === 'true' && location.hash === shows
            if (!asking || list.getAttribute('aria-busy') === 'true') return
            observer.disconnect()
            clearTimeout(deadline)
            drawn()
          }).observe(list, { attributes: true })
          const element = document.querySelector(selector)
          if (value === null) element.click()
          else {
            element.value = value
            element.dispatchEvent(new Event('input', { bubbles: true }))
          }
        }),
      { selector, value, shows },
    )
    ;(samples[what] ??= []).push(ms)
  }
  for (let round = 0; round < ROUNDS; round++) {
    await measure('search, many match', '#activity-search', 'get_alerts', '#/activity?text=get_alerts')
    await measure('search, one matches', '#activity-search', 'list_cities', '#/activity?text=list_cities')
    await measure('search, emptied', '#activity-search', '', '#/activity')
    await measure('filter, few match', '#flt-mine', null, '#/activity?show=mine')
    await measure('filter, off again', '#flt-mine', null, '#/activity')
  }
  for (const [what, all] of Object.entries(samples)) {
    const sorted = all.toSorted((a, b) => a - b)
    console.log(`${what}: median ${Math.round(sorted[Math.floor(sorted.length / 2)])} ms, slowest of ${sorted.length} ${Math.round(sorted.at(-1))} ms`)
  }
} finally {
  await browser.close()
  await house.end()
}
