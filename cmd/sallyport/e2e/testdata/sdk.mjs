// Lists the tools of an MCP server with an official TypeScript client, calls each, and prints {"tools", "texts"} or {"error"} as JSON.
//
// Usage: node sdk.mjs CLIENT STDIO COMMAND [ARG…], where CLIENT and STDIO are the client's module and that of its transport.

import { pathToFileURL } from 'node:url'

const [client, stdio, command, ...args] = process.argv.slice(2)
const { Client } = await import(pathToFileURL(client).href)
const { StdioClientTransport } = await import(pathToFileURL(stdio).href)

const user = new Client({ name: 'e2e', version: '1' }, { capabilities: {} })
let told
try {
  await user.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' }))
  const { tools } = await user.listTools()
  const texts = {}
  for (const { name } of tools) {
    const result = await user.callTool({ name, arguments: {} })
    texts[name] = result.content[0].text
  }
  told = { tools: tools.map((tool) => tool.name), texts }
} catch (problem) {
  told = { error: String(problem) }
}
console.log(JSON.stringify(told))
await user.close()
