// Drives an MCP server with the official TypeScript SDK's client and prints what the client got, as driver.py does.
//
// Usage: node driver.mjs MODULES SPEC, where MODULES is the folder with the SDK's packages, and SPEC the JSON file of driver.py.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [modules, path] = process.argv.slice(2)
const require = createRequire(join(modules, 'driver.mjs'))
const { Client } = require('@modelcontextprotocol/client')
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio')
const { SkillsClient } = require('@modelcontextprotocol/client/ext/skills')

const spec = JSON.parse(readFileSync(path, 'utf8'))
const heard = []
const asked = []
const tell = (what) => console.log(JSON.stringify(what))
const failure = ({ code, message, data }) => ({ code, message, data })

const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: spec.mode }, capabilities: { elicitation: {} } })
client.setRequestHandler('elicitation/create', async ({ params }) => {
  asked.push(params)
  return { action: 'accept', content: { name: 'Ada', check: true, integer: 7 } }
})
client.fallbackNotificationHandler = async (notification) => {
  heard.push(notification)
}

const acts = {
  list_tools: () => client.listTools(),
  list_prompts: () => client.listPrompts(),
  list_resources: () => client.listResources(),
  list_templates: () => client.listResourceTemplates(),
  call: ({ name, args }) => client.callTool({ name, arguments: args ?? {} }),
  prompt: ({ name, args }) => client.getPrompt({ name, arguments: args ?? {} }),
  read: ({ name }) => client.readResource({ uri: name }),
  skills: async () => {
    const reader = new SkillsClient(client)
    if (!reader.supported) return { supported: false } // list() would say so on stdout, between our lines
    const { skills } = await reader.list()
    const files = []
    for (const listed of skills) {
      const { skill } = await reader.get(listed.uri)
      for (const file of [undefined, 'references/hats.md']) {
        files.push({ ...(await reader.read(skill, file)), bytes: undefined })
      }
      files.push((await reader.readDirectory(listed.uri.replace('/SKILL.md', ''))).resources)
    }
    return { supported: reader.supported, skills, files }
  }
}

const [command, ...args] = spec.argv
try {
  await client.connect(new StdioClientTransport({ command, args, env: spec.env, cwd: spec.cwd, stderr: 'ignore' }))
  tell({
    hello: {
      protocol: client.getNegotiatedProtocolVersion(),
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions()
    }
  })
  for (const act of spec.acts) {
    try {
      tell({ act, result: await acts[act.do](act) })
    } catch (problem) {
      tell({ act, error: failure(problem) })
    }
  }
  tell({ heard, asked })
} catch (problem) {
  tell({ failed: failure(problem) })
}
await client.close()
