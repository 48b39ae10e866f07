// What is decided with must be on the screen where there is little of it: 800 × 600 and text at 150 %. And what was decided by mistake
// comes back as it was.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { House, openBrowser, until } from './house.mjs'

let browser
before(async () => (browser = await openBrowser()))
after(() => browser?.close())

const SMALL = { viewport: { width: 800, height: 600 } }
/** Of the window's own text size, as a desktop's setting makes it. */
const large = (page) => page.evaluate(() => (document.documentElement.style.fontSize = '150%'))

/** Buttons of the decision that a person does not see whole, or that something lies over. */
const unseen = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('footer[aria-label="Decide"] button, [role="alertdialog"] button')]
      .filter((button) => {
        const r = button.getBoundingClientRect()
        const top = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)
        return r.top < 0 || r.left < 0 || r.bottom > innerHeight || r.right > innerWidth || !button.contains(top)
      })
      .map((button) => button.textContent.trim()),
  )

const decisions = (page) => page.locator('footer[aria-label="Decide"] button')

test('at 800 × 600 and 150 % text every button of a decision is on the screen', async () => {
  const house = await House.make()
  try {
    const weather = await house.server('weather')
    await house.allowed(weather)
    await house.open()
    const client = await house.wrap(weather)
    await client.tools()
    await weather.put('poisoned')
    await house.wrap(await house.server('notes'))
    for (const kind of ['new_server', 'changed']) {
      const item = await house.waits(kind)
      const page = await house.page(browser, `#/inbox/${item.code}`, SMALL)
      await large(page)
      await decisions(page).first().waitFor()
      assert.ok((await decisions(page).count()) >= 2, kind)
      assert.deepEqual(await unseen(page), [], `${kind}: not on the screen`)
      // The second question, where there is one.
      await page.getByRole('button', { name: /^Allow this/ }).first().click()
      await until('the receipt, a hint or a second question', async () => (await page.locator('#toast, [role="alertdialog"], #decide-twice, footer [role="status"]').count()) > 0)
      assert.deepEqual(await unseen(page), [], `${kind}: not on the screen after a press`)
      await page.context().close()
    }
  } finally {
    await house.end()
  }
})

test('the buttons of a dialog, of a looser setting and of a file’s change are on the screen with what they are about', async () => {
  const house = await House.make()
  try {
    const [weather, notes] = [await house.server('weather'), await house.server('notes')]
    await mkdir(join(house.user, '.config/Claude'), { recursive: true })
    await writeFile(join(house.user, '.config/Claude/claude_desktop_config.json'), JSON.stringify({ mcpServers: { weather: { command: weather.argv[0], args: weather.argv.slice(1) } } }, null, 2))
    await house.open()
    for (const server of [weather, notes]) await (await house.wrap(server)).tools()
    await until('two items wait', async () => (await house.inbox()).length === 2)
    // 800 × 600 as the web view has it where the desktop's text is half as large again.
    const page = await house.page(browser, '#/inbox', { viewport: { width: 533, height: 400 }, deviceScaleFactor: 1.5 })
    const whole = async (name) => {
      const button = page.getByRole('button', { name }).last()
      await until(`${name} is on the screen`, () =>
        button.evaluate((node) => {
          const r = node.getBoundingClientRect()
          return r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth && node.contains(document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2))
        }),
      )
    }
    await page.getByRole('button', { name: /^Allow the 2 servers/ }).click()
    for (const name of [/^Keep them blocked/, /^Allow 2 servers/]) await whole(name)
    await page.getByRole('button', { name: /^Keep them blocked/ }).click()
    await page.evaluate(() => (location.hash = '#/settings'))
    await page.getByRole('radio', { name: /Allow what has no warning/ }).click()
    for (const name of [/^Keep “Block it until I review it”/, /^Change to “Allow what has no warnings”/]) await whole(name)
    await page.evaluate(() => (location.hash = '#/servers'))
    await page.getByRole('button', { name: /^Add guard/ }).click()
    for (const name of [/^Guard this server/, /^Cancel/]) await whole(name)
    assert.deepEqual(page.problems, [])
  } finally {
    await house.end()
  }
})

test('an allowed new server that is undone waits again as the same item', async () => {
  const house = await House.make()
  try {
    await house.open()
    const client = await house.wrap(await house.server('weather'))
    const item = await house.waits('new_server')
    const page = await house.page(browser, `#/inbox/${item.code}`)
    await page.getByRole('button', { name: /^Allow this server/ }).click()
    await until('it is offered', async () => (await client.tools()).includes('get_forecast'))
    await page.getByRole('button', { name: 'Undo this decision' }).click()
    const again = await house.waits('new_server')
    assert.equal(again.code, item.code)
    assert.equal(again.digest, item.digest)
    await page.getByRole('heading', { name: /New server/ }).waitFor()
    await page.getByText(`Item ${item.code}`).waitFor()
    await until('it is no longer offered', async () => !(await client.tools()).includes('get_forecast'))
    assert.deepEqual(page.problems, [])
  } finally {
    await house.end()
  }
})
