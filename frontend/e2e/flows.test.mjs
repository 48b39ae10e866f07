// The flows of the window in short, in a browser: a first review, a change that is allowed, one that is kept blocked, one that
// changes while it is read, and one that must be typed. cmd/sallyport-desktop/uitest has them on what ships.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { House, openBrowser, until } from './house.mjs'

let browser
before(async () => (browser = await openBrowser()))
after(() => browser?.close())

/** A house where weather was allowed, and has just put on another face. */
async function changed(face) {
  const house = await House.make()
  const weather = await house.server('weather')
  await house.allowed(weather)
  await house.open()
  const client = await house.wrap(weather)
  await client.tools()
  await weather.put(face)
  const item = await house.waits('changed')
  const page = await house.page(browser, `#/inbox/${item.code}`)
  await page.getByRole('heading', { name: /get_forecast/ }).first().waitFor()
  return { house, weather, client, item, page }
}

const allowTool = (page) => page.getByRole('button', { name: /^Allow this tool/ })

describe('the window', { concurrency: false }, () => {
  test('a new server is read and allowed, and its call runs', async () => {
    const house = await House.make()
    try {
      await house.open()
      const client = await house.wrap(await house.server('weather'))
      const item = await house.waits('new_server')
      assert.ok((await client.call('get_forecast', { city: 'Lisbon' })).isError)
      const page = await house.page(browser, '#/inbox')
      await page.getByRole('link', { name: new RegExp(item.code) }).or(page.getByRole('button', { name: new RegExp(item.code) })).first().click()
      await page.getByRole('heading', { name: /weather/ }).first().waitFor()
      await page.getByRole('button', { name: /^Allow this server/ }).click()
      await until('the call runs', async () => !(await client.call('get_forecast', { city: 'Lisbon' })).isError)
      await page.getByText('Nothing needs your review').first().waitFor()
      assert.deepEqual(page.problems, [])
    } finally {
      await house.end()
    }
  })

  test('a change is shown word by word and allowed', async () => {
    const { house, client, page } = await changed('reworded')
    try {
      assert.ok((await client.call('get_forecast', { city: 'Lisbon' })).isError)
      assert.match(await page.locator('del').first().innerText(), /5/)
      assert.match(await page.locator('ins').first().innerText(), /7/)
      await page.getByText(/required/i).first().waitFor()
      await allowTool(page).click()
      await until('the call runs', async () => !(await client.call('get_forecast', { city: 'Lisbon' })).isError)
      assert.deepEqual(page.problems, [])
    } finally {
      await house.end()
    }
  })

  test('what is kept blocked leaves the inbox and stays refused', async () => {
    const { house, client, page } = await changed('reworded')
    try {
      await page.getByRole('button', { name: /^Keep .*blocked/ }).click()
      await until('nothing waits', async () => (await house.inbox()).length === 0)
      assert.ok((await client.call('get_forecast', { city: 'Lisbon' })).isError)
      assert.deepEqual(page.problems, [])
    } finally {
      await house.end()
    }
  })

  test('what changes while it is read cannot be allowed until it was shown', async () => {
    const { house, weather, client, page } = await changed('reworded')
    try {
      await weather.put('again')
      await page.getByText('changed again while you were reading').first().waitFor()
      assert.ok(await allowTool(page).isDisabled())
      await page.getByRole('button', { name: 'Show the new version' }).click()
      await page.getByText('village').first().waitFor()
      await allowTool(page).click()
      await until('the call runs', async () => !(await client.call('get_forecast', { city: 'Lisbon' })).isError)
    } finally {
      await house.end()
    }
  })

  test('an engine that hangs is told, nothing can be decided meanwhile, and all works when it answers again', async () => {
    const { house, client, page } = await changed('reworded')
    try {
      await until('it can be decided on', () => allowTool(page).isEnabled())
      house.program.kill('SIGSTOP')
      const stopped = Date.now()
      await page.getByRole('alert').getByText(/engine isn't responding/).waitFor()
      console.log(`told after ${Date.now() - stopped} ms`)
      assert.ok(await allowTool(page).isDisabled())
      assert.ok(await page.getByRole('button', { name: /^Keep .*blocked/ }).isDisabled())
      assert.match(await page.getByRole('alert').innerText(), /What you see is as of \d\d:\d\d/)
      await page.getByRole('heading', { name: /get_forecast/ }).first().waitFor()
      house.program.kill('SIGCONT')
      await until('it can be decided on again', () => allowTool(page).isEnabled())
      assert.equal(await page.getByRole('alert').count(), 0)
      await allowTool(page).click()
      await until('the call runs', async () => !(await client.call('get_forecast', { city: 'Lisbon' })).isError)
      assert.deepEqual(page.problems, [])
    } finally {
      await house.end()
    }
  })

  test('an approval is taken back from the history, and the call is refused again', async () => {
    const house = await House.make()
    try {
      const weather = await house.server('weather')
      await house.allowed(weather)
      await house.open()
      const client = await house.wrap(weather)
      await until('the call runs', async () => !(await client.call('get_forecast', { city: 'Lisbon' })).isError)
      const page = await house.page(browser, '#/servers')
      await page.getByRole('link', { name: /^Open server weather/ }).click()
      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByText('Allowed by you').first().waitFor()
      await page.getByRole('button', { name: 'Block again: get_forecast' }).click()
      await until('the call is refused', async () => (await client.call('get_forecast', { city: 'Lisbon' })).isError)
      await page.getByText('Blocked again by you').first().waitFor()
      assert.deepEqual(page.problems, [])
    } finally {
      await house.end()
    }
  })

  test('every room can be read in a small window and at twice the text size', async () => {
    const house = await House.make()
    try {
      const weather = await house.server('weather')
      await house.allowed(weather)
      const folder = join(house.user, '.config/Claude')
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'claude_desktop_config.json'), JSON.stringify({ mcpServers: { weather: { command: weather.argv[0], args: weather.argv.slice(1) }, remote: { url: 'https://x.example/mcp' } } }))
      await house.open()
      await house.wrap(weather)
      for (const [width, height, most] of [[880, 600, 64], [440, 300, 120]]) {
        const page = await house.page(browser, '#/servers', { viewport: { width, height } })
        const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: /^Open server weather/ }) })
        await row.waitFor()
        const box = await row.boundingBox()
        assert.ok(box.height <= most, `a row is ${box.height} px high at ${width} px`)
        for (const room of ['servers', 'activity', 'settings', 'start']) {
          await page.evaluate((to) => (location.hash = to), `#/${room}`)
          await page.locator('main h1').first().waitFor()
          await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]'))
          const [wide, has] = await page.evaluate(() => [document.querySelector('.room').scrollWidth, document.querySelector('.room').clientWidth])
          assert.ok(wide <= has, `${room} is ${wide} px wide and has ${has}`)
        }
        await page.context().close()
      }
    } finally {
      await house.end()
    }
  })

  test('Enter decides nothing, and what is critical is typed', async () => {
    const { house, client, item, page } = await changed('poisoned')
    try {
      for (const key of ['Enter', 'Space', 'Enter', 'Control+Shift+A', 'Enter']) await page.keyboard.press(key)
      await page.keyboard.press('Escape')
      const dialog = page.getByRole('alertdialog')
      await until('every warning was led to, and the word is asked for', async () => {
        if (await dialog.isVisible()) return true
        await allowTool(page).click()
        return dialog.isVisible()
      })
      const allow = dialog.getByRole('button', { name: /^Allow this version/ })
      assert.ok(await allow.isDisabled())
      await dialog.getByRole('textbox').fill('weathe')
      await page.keyboard.press('Enter')
      assert.ok(await allow.isDisabled())
      assert.equal((await house.inbox())[0].digest, item.digest)
      await dialog.getByRole('textbox').fill('weather')
      await allow.click()
      await until('the call runs', async () => !(await client.call('get_forecast', { city: 'Lisbon' })).isError)
      assert.deepEqual(page.problems, [])
    } finally {
      await house.end()
    }
  })
})
