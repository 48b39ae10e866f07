// A response that was held back, in the browser: what somebody wrote to be read by Claude does nothing here, every state of it is
// readable, and so are the exceptions that are made from it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { House, openBrowser, until } from './house.mjs'
import { invisible, readable } from './readable.mjs'

let browser, house, client
const items = {}

/** A tool's answer that is held, and the item it waits in. */
async function holds(tool) {
  await client.call(tool, { id: '7', password: 'correct horse' })
  return until(`${tool} is held`, async () => (await house.inbox()).find((item) => item.kind === 'response_held' && item.parts[0].item === `tool:${tool}`))
}

before(async () => {
  browser = await openBrowser()
  house = await House.make()
  const mail = await house.server('mail')
  await house.allowed(mail)
  await house.open()
  client = await house.wrap(mail)
  for (const tool of ['read_mail', 'read_spam', 'read_page']) items[tool] = await holds(tool)
})
after(async () => {
  await browser?.close()
  await house?.end()
})

const open = async (tool, options) => {
  const page = await house.page(browser, `#/inbox/${items[tool].code}`, { bypassCSP: true, ...options })
  await page.locator('#held-discard:enabled').waitFor()
  return page
}

describe('a held response', { concurrency: false }, () => {
  for (const colorScheme of ['light', 'dark']) {
    test(`is readable on both tabs and in every view, ${colorScheme}`, async () => {
      for (const tool of ['read_mail', 'read_spam', 'read_page']) {
        const page = await open(tool, { colorScheme })
        for (const view of ['Escaped', 'Hex', 'Readable']) {
          await page.getByRole('button', { name: view, exact: true }).click()
          await readable(page)
        }
        await page.getByRole('button', { name: /^More/ }).click()
        await readable(page)
        await page.getByRole('tab', { name: /Technical/ }).click()
        await readable(page)
        await page.context().close()
      }
    })
  }

  test('is as it was written, and none of it acts', async () => {
    const page = await open('read_page', { bypassCSP: false })
    const part = page.locator('#part-0-text .body')
    for (const more = page.getByRole('button', { name: /^Show next/ }); (await more.count()) > 0; ) {
      const was = (await part.textContent()).length
      await more.first().click()
      await until('the next page is there', async () => (await part.textContent()).length > was)
    }
    await page.getByText('<img src=x onerror=').first().waitFor()
    assert.equal(await page.locator('main img, main script, main iframe, main [onerror], main .panel a').count(), 0)
    const text = await page.evaluate(() => document.documentElement.textContent + [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes].map((a) => a.value)).join('\n'))
    assert.equal(text.match(invisible), null)
    assert.deepEqual(page.asked.filter((url) => !url.startsWith(house.url) && !url.startsWith('data:')), [])
    assert.match(await page.title(), /^Sallyport – /)
    await page.context().close()
  })

  for (const [what, options] of Object.entries({ 'a narrow window': { viewport: { width: 880, height: 600 } }, 'large text': { viewport: { width: 440, height: 370 }, deviceScaleFactor: 2 } })) {
    test(`has no line that runs out of ${what}, and its buttons stay`, async () => {
      const page = await open('read_mail', options)
      const wide = await page.evaluate(() => [...document.querySelectorAll('main *')].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible').map((e) => `${e.tagName}.${e.className}`))
      assert.deepEqual(wide, [])
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
      await page.locator('#held-release').scrollIntoViewIfNeeded()
      assert.ok(await page.locator('#held-release').isVisible())
      await page.context().close()
    })
  }

  test('makes an exception that is listed where its server is, and in the settings', async () => {
    const page = await open('read_mail')
    await page.getByRole('button', { name: /^More/ }).click()
    const confirm = page.locator('#confirm-except')
    await until('the form is there', async () => {
      if (await confirm.isVisible()) return true
      await page.locator('#held-exception').click()
      return false
    })
    await readable(page)
    await page.getByRole('radio', { name: 'Today' }).check()
    await page.locator('#confirm-except:enabled').click()
    await page.getByText('This one is still held').waitFor()
    for (const route of ['#/settings', `#/servers/${encodeURIComponent(items.read_mail.identity)}`]) {
      await page.evaluate((to) => (location.hash = to), route)
      await page.getByRole('button', { name: /^End now/ }).first().waitFor()
      await readable(page)
    }
    for (let left = await page.getByRole('button', { name: /^End now/ }).count(); left > 0; left--) {
      await page.getByRole('button', { name: /^End now/ }).first().click()
      await until('one fewer', async () => (await page.getByRole('button', { name: /^End now/ }).count()) < left)
    }
    await page.context().close()
  })

  test('says what to tell Claude once it is released, and is taken back', async () => {
    const page = await open('read_mail')
    const confirm = page.locator('#confirm-allow')
    await until('it is asked about a second time', async () => {
      if (await confirm.isVisible()) return true
      await page.locator('#held-without').click()
      return false
    })
    await readable(page)
    await page.locator('#confirm-allow:enabled').click()
    await page.getByRole('textbox', { name: 'What to say in Claude' }).waitFor()
    await readable(page)
    await page.locator('#held-discard:enabled').click()
    await until('it waits no more', async () => !(await house.inbox()).some((item) => item.code === items.read_mail.code))
    await page.context().close()
  })
})
