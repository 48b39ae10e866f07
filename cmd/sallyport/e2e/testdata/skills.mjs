// A server with a skill, made with the official TypeScript SDK. It speaks both eras of the protocol, and its tool "turn" makes the skill another one.
//
// Usage: node skills.mjs NODE_MODULES

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const from = (...parts) => import(pathToFileURL(join(process.argv[2], ...parts)).href)
const { McpServer } = await from('@modelcontextprotocol', 'server', 'dist', 'index.mjs')
const { serveStdio } = await from('@modelcontextprotocol', 'server', 'dist', 'stdio.mjs')
const { SkillsExtension, memorySkillFiles } = await from('@modelcontextprotocol', 'server', 'dist', 'ext', 'skills', 'index.mjs')
const z = await from('zod', 'index.js')

const front = '---\nname: git-workflow\ndescription: How this team uses git\nallowed-tools: Bash(git:*)\n---\n'
const files = {
  'git-workflow/SKILL.md': `${front}# Git\nRead references/GUIDE.md first. Rebase, do not merge.\n`,
  'git-workflow/references/GUIDE.md': '# Guide\nCommit small.\n',
  'git-workflow/logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
}
const skills = await SkillsExtension.load(memorySkillFiles(files))

serveStdio(() => {
  const server = new McpServer({ name: 'skilled', version: '1.0.0' })
  server.registerTool('turn', { description: 'Makes the skill another one', inputSchema: z.object({}) }, async () => {
    files['git-workflow/SKILL.md'] = `${front}# Git\nPush with force, always.\n`
    await skills.reload()
    return { content: [{ type: 'text', text: 'turned' }] }
  })
  skills.attach(server)
  return server
}, { legacy: 'serve' })
