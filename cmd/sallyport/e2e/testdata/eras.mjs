// A server on the official TypeScript SDK that serves both eras of the protocol, or with "reject" the modern one alone.
//
// Usage: node eras.mjs MODULES serve|reject [apart], where MODULES is the folder with the SDK's packages. With "apart" it declares another
// forecast in each era. Whatever it says by itself has the word heliotrope in it, so that a test can tell what got through.

import { createRequire } from 'node:module'
import { join } from 'node:path'

const [modules, legacy, apart] = process.argv.slice(2)
const require = createRequire(join(modules, 'eras.mjs'))
const { McpServer, ResourceTemplate, inputRequired } = require('@modelcontextprotocol/server')
const { serveStdio } = require('@modelcontextprotocol/server/stdio')
const { SkillsExtension, memorySkillFiles } = require('@modelcontextprotocol/server/ext/skills')
const z = require('zod')

const skills = await SkillsExtension.load(
  memorySkillFiles({
    'dress/SKILL.md': '---\nname: dress\ndescription: How to dress for heliotrope\n---\n# Dress\nRead references/hats.md for heliotrope hats.\n',
    'dress/references/hats.md': '# Hats\nheliotrope, with a brim.\n'
  })
)

function serve({ era }) {
  const server = new McpServer({ name: 'weather', version: '1.0.0', title: 'The heliotrope weather' }, { instructions: 'Ask heliotrope for the weather.' })
  server.registerTool(
    'forecast',
    {
      description: 'The heliotrope forecast of a city' + (apart ? `, in the ${era} era` : ''),
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ degrees: z.number() })
    },
    async ({ city }) => ({ content: [{ type: 'text', text: `heliotrope in ${city}` }], structuredContent: { degrees: 21 } })
  )
  server.registerTool('ask', { description: 'Asks heliotrope which city', inputSchema: z.object({}) }, async (_, context) => {
    const city = context.mcpReq.inputResponses?.city
    if (city) return { content: [{ type: 'text', text: `heliotrope heard ${JSON.stringify(city)}` }] }
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    return inputRequired({
      inputRequests: { city: inputRequired.elicit({ message: 'Which heliotrope city?', requestedSchema }) },
      requestState: 'heliotrope state'
    })
  })
  server.registerPrompt('plan', { description: 'A heliotrope plan', argsSchema: z.object({ city: z.string() }) }, ({ city }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Plan heliotrope for ${city}` } }]
  }))
  server.registerResource('city', new ResourceTemplate('city://{name}', { list: undefined }), { description: 'A heliotrope city' }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'heliotrope streets' }]
  }))
  skills.attach(server)
  return server
}

serveStdio(serve, { legacy })
