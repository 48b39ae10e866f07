// What the conformance suite asks a server for (everything.json), on the TypeScript SDK.
import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { MissingRequiredClientCapabilityError, ProtocolError, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const all = JSON.parse(readFileSync(new URL('everything.json', import.meta.url)))
const text = (said) => ({ content: [{ type: 'text', text: said }] })
const key = randomBytes(32)
const signed = (round) => `${round}.${createHmac('sha256', key).update(String(round)).digest('hex')}`

/** The round that a retry is at; a state that we did not write is an error. */
function roundOf(state) {
  if (state === undefined) return 0
  const round = Number(String(state).split('.')[0])
  if (state !== signed(round)) throw new ProtocolError(-32602, 'the request state was changed')
  return round
}

/** Asks what is missing, or nothing if all was answered. */
function asks(does, params, can) {
  let round = does.state ? roundOf(params.requestState) : 0
  for (; round < does.rounds.length; round++) {
    const requests = Object.entries(does.rounds[round]).filter(([, r]) => !does.declared || can[{ 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' }[r.method]])
    const answered = (id) => { const a = params.inputResponses?.[id]; return a && typeof a === 'object' && !Array.isArray(a) && (a.action === undefined ? 'role' in a || 'roots' in a : a.action !== 'accept' || typeof a.content === 'object') }
    if (requests.every(([id]) => answered(id)) && params.inputResponses) { params = { ...params, inputResponses: undefined }; continue }
    return { resultType: 'input_required', inputRequests: Object.fromEntries(requests), ...(does.state ? { requestState: signed(round) } : {}) }
  }
}

async function call({ tool, does }, server, params, ctx) {
  const args = params.arguments ?? {}
  const can = ctx.mcpReq?.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? params._meta?.['io.modelcontextprotocol/clientCapabilities'] ?? {}
  if (does.result) return does.result
  if (does.log) {
    for (const said of does.log) { await ctx.mcpReq.log('info', said); await sleep(20) }
    return text(tool.name)
  }
  if (does.progress) {
    const token = ctx.mcpReq._meta?.progressToken
    for (const progress of does.progress) {
      if (token !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress, total: 100 } })
      await sleep(20)
    }
    return text(tool.name)
  }
  if (does.sample) {
    const said = await ctx.mcpReq.requestSampling({ messages: [{ role: 'user', content: { type: 'text', text: args[does.sample] } }], maxTokens: 100 })
    return text(`LLM response: ${said.content.text}`)
  }
  if (does.elicit) {
    const said = await ctx.mcpReq.elicitInput({ mode: 'form', message: args.message, ...does.elicit })
    return text(`User response: action=${said.action}, content=${JSON.stringify(said.content)}`)
  }
  if (does.needs && !can[does.needs]) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { [does.needs]: {} } })
  if (does.changes === 'tools') await notifier.toolsChanged(server)
  if (does.changes === 'prompts') await notifier.promptsChanged(server)
  if (does.rounds) return asks(does, params, can) ?? text('state-ok: everything was answered')
  return text(tool.name)
}

const notifier = {
  toolsChanged: (server) => server.sendToolListChanged(),
  promptsChanged: (server) => server.sendPromptListChanged(),
}

const fill = (value, args) => JSON.parse(JSON.stringify(value).replace(/\{(\w+)\}/g, (whole, name) => (name in args ? JSON.stringify(String(args[name])).slice(1, -1) : whole)))

serveStdio(() => {
  const server = new Server({ name: 'conformance-typescript', version: '1.0.0' }, { capabilities: {
    tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true }, completions: {}, logging: {},
  } })
  server.setRequestHandler('tools/list', async () => ({ tools: all.tools.map((t) => t.tool) }))
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const found = all.tools.find((t) => t.tool.name === params.name)
    if (!found) throw new ProtocolError(-32602, 'unknown tool')
    return call(found, server, { ...params, inputResponses: ctx.mcpReq?.inputResponses ?? params.inputResponses, requestState: typeof ctx.mcpReq?.requestState === 'function' ? ctx.mcpReq.requestState() : ctx.mcpReq?.requestState ?? params.requestState }, ctx)
  })
  server.setRequestHandler('prompts/list', async () => ({ prompts: all.prompts.map((p) => p.prompt) }))
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    const found = all.prompts.find((p) => p.prompt.name === params.name)
    if (!found) throw new ProtocolError(-32602, 'unknown prompt')
    const asked = found.rounds && asks(found, { ...params, inputResponses: ctx.mcpReq?.inputResponses ?? params.inputResponses }, {})
    return asked || { messages: fill(found.messages, params.arguments ?? {}) }
  })
  server.setRequestHandler('resources/list', async () => ({ resources: all.resources.map((r) => r.resource) }))
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [all.template] }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    const found = all.resources.find((r) => r.resource.uri === params.uri)
    if (found) return { contents: [found.contents] }
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(params.uri)?.[1]
    if (!id) throw new ProtocolError(-32602, 'Resource not found', { uri: params.uri })
    return { contents: [{ uri: params.uri, mimeType: 'application/json', text: all.templated.replaceAll('{id}', id) }] }
  })
  server.setRequestHandler('resources/subscribe', async () => ({}))
  server.setRequestHandler('resources/unsubscribe', async () => ({}))
  server.setRequestHandler('completion/complete', async () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }))
  return server
})
