// A home of Sallyport's own with the dev build of the window on it, real wrappers before scripted servers, and a browser on
// the page. The dev build answers every web origin, so it lives on loopback, on data made for one test, and ships nowhere.
// Run inside build/with-desktop: `make ui` does.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sallyport = join(root, 'bin/dev/sallyport')
const desktop = join(root, 'bin/dev/sallyport-desktop')
const helper = join(root, 'bin/uitest')

/** How long anything that must happen may take; only a failure ever waits that long. */
const patience = 30_000

/** Waits for a condition. */
export async function until(what, is) {
  for (const deadline = Date.now() + patience; ; ) {
    const found = await is()
    if (found) return found
    if (Date.now() > deadline) assert.fail(`not within ${patience / 1000} s: ${what}`)
    await new Promise((again) => setTimeout(again, 25))
  }
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** One browser for all that a file of tests does. */
export async function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--force-color-profile=srgb'] })
}

export class House {
  #endings = []

  static async make() {
    const house = new House()
    house.dir = await mkdtemp(join(tmpdir(), 'ui'))
    house.home = join(house.dir, 'home')
    house.user = join(house.dir, 'user')
    await mkdir(house.user)
    house.env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SALLYPORT_|XDG_(CONFIG|DATA|CACHE|STATE)_)/.test(name)))
    Object.assign(house.env, { SALLYPORT_HOME: house.home, HOME: house.user })
    return house
  }

  /** The command line, with what it printed and its exit code. */
  command(...args) {
    return this.told('', ...args)
  }

  /** The same for a command that reads something. */
  told(input, ...args) {
    return new Promise((done) => {
      const child = execFile(sallyport, args, { env: this.env, maxBuffer: 64 << 20 }, (error, out, err) => done({ out: out + err, code: error?.code ?? 0 }))
      if (input !== '') child.stdin.end(input)
    })
  }

  async inbox() {
    const { out } = await this.command('inbox', '--json')
    return JSON.parse(out).items
  }

  /** Waits for an item of this kind. */
  waits(kind) {
    return until(`an item of the kind ${kind} waits`, async () => (await this.inbox()).find((item) => item.kind === kind))
  }

  /** A scripted server by its name in cmd/sallyport-desktop/uitest/faces_test.go, whose face put changes. */
  async server(name) {
    const dir = await mkdtemp(join(this.dir, `${name}-`))
    const made = spawn(helper, ['fixture', name, dir], { stdio: 'inherit' })
    assert.equal((await once(made, 'exit'))[0], 0)
    return { name, argv: [helper, 'scripted', join(dir, 'script.json')], put: (face) => writeFile(join(dir, face), '') }
  }

  /** A calendar on this computer that wants a sign-in at issuer; elsewhere ends that and wants it at other. The browser of the window opens nothing: pages are what it was to open. */
  async remote() {
    const child = spawn(helper, ['remote'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    this.#endings.push(async () => {
      child.stdin.end()
      await ended
    })
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const { resource, issuer, other } = JSON.parse(line)
    const log = join(this.dir, 'pages')
    this.env.BROWSER = join(this.dir, 'browser')
    await writeFile(this.env.BROWSER, `#!/bin/sh\necho "$1" >> '${log}'\n`, { mode: 0o700 })
    const pages = async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean)
    return { name: 'calendar', url: resource, issuer, other, elsewhere: () => child.stdin.write('elsewhere\n'), pages }
  }

  /** A client before a wrapper before a server. */
  async wrap(server, name = server.name, era = 'legacy') {
    const child = spawn(sallyport, ['wrap', '--name', name, '--client', 'claude-desktop', ...(server.url ? ['--url', server.url] : ['--', ...server.argv])], { env: this.env, stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = once(child, 'exit')
    const open = new Map()
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      if (message.method || !open.has(message.id)) return
      open.get(message.id)(message)
      open.delete(message.id)
    })
    let next = 0
    const request = (method, params) =>
      new Promise((done) => {
        open.set(++next, done)
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: next, method, params })}\n`)
      })
    let closed = false
    const close = async () => {
      if (closed) return
      closed = true
      child.stdin.end()
      await ended
    }
    this.#endings.push(close)
    const claims = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'claude-ai', version: '1.0' }, 'io.modelcontextprotocol/clientCapabilities': {} }
    if (era === 'modern') {
      await request('tools/list', { _meta: claims })
      return { request: (method, params) => request(method, { ...params, _meta: claims }), close }
    }
    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude-ai', version: '1.0' } })
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    return {
      request,
      close,
      call: async (tool, args = {}) => (await request('tools/call', { name: tool, arguments: args })).result,
      tools: async () => (await request('tools/list', {})).result.tools.map((tool) => tool.name),
    }
  }

  /** A hub without a window that takes decisions from the command line, until it is ended. */
  async headless(work) {
    const { DISPLAY: _, ...env } = this.env
    const hub = spawn(sallyport, ['hub', '--allow-cli-approval'], { env, stdio: 'ignore' })
    const ended = once(hub, 'exit')
    await until('the headless hub answers', async () => [0, 3].includes((await this.command('status', '--json')).code))
    try {
      return await work()
    } finally {
      hub.kill('SIGINT')
      await ended
    }
  }

  /** What happened before a test: these servers were met and all of them allowed. */
  allowed(...servers) {
    return this.headless(async () => {
      for (const server of servers) {
        const client = await this.wrap(server)
        await until(`${server.name} is allowed`, async () => {
          const items = await this.inbox()
          for (const item of items) await this.command('approve', item.code, '--all', '--yes')
          return items.length === 0 && (await client.tools()).length > 2
        })
        await client.close()
      }
    })
  }

  /** A panel on the desktop, so that the program has a place for its icon. */
  async panel() {
    const child = spawn(helper, ['panel'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    this.#endings.push(async () => {
      child.stdin.end()
      await ended
    })
    await once(child.stdout, 'data')
  }

  /** Starts the dev build; url is its page. Its own window is shown, because what nobody sees decides nothing. */
  async open() {
    await this.panel()
    const port = await freePort()
    const child = spawn(desktop, [], {
      env: { ...this.env, assetdir: join(root, 'frontend/dist'), devserver: `127.0.0.1:${port}`, loglevel: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said = (said + chunk).slice(-8192)))
    const ended = once(child, 'exit')
    this.program = child
    let over = false
    void ended.then(() => (over = true))
    this.#endings.push(async () => {
      if (!over) child.kill('SIGCONT') // a stopped one hears nothing else
      if (!over) child.kill('SIGTERM')
      await ended
    })
    this.url = `http://127.0.0.1:${port}/`
    await until('the dev build answers', async () => {
      assert.ok(!over, `the dev build ended: ${said}`)
      const page = await fetch(this.url).catch(() => null)
      return page?.ok && [0, 3].includes((await this.command('status', '--json')).code)
    })
  }

  /** A page of the browser on the window's page, at a route. problems are what it complained about. */
  async page(browser, route = '', options = {}) {
    const context = await browser.newContext({ viewport: { width: 1100, height: 740 }, reducedMotion: 'reduce', ...options })
    const page = await context.newPage()
    page.problems = []
    page.asked = []
    // Wails' own overlay of a dev build always throws once.
    page.on('pageerror', (error) => /\/wails\/ipc\.js/.test(error.stack ?? '') || page.problems.push(error.stack ?? String(error)))
    page.on('console', (m) => m.type() === 'error' && !/favicon\.ico|\/wails\//.test(m.location().url) && page.problems.push(`${m.text()} (${m.location().url})`))
    page.on('request', (request) => page.asked.push(request.url()))
    await page.goto(this.url)
    await page.locator('h1').first().waitFor()
    // As somebody with a mouse: then a headline that gets the focus has no ring around it.
    await page.mouse.click(5, 5)
    if (route) await page.evaluate((to) => (location.hash = to), route)
    await page.locator('h1').first().waitFor()
    return page
  }

  async end() {
    for (const ending of this.#endings.reverse()) await ending()
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

assert.ok(existsSync(helper) && existsSync(desktop), 'bin/uitest or bin/dev is missing: make ui builds them')
