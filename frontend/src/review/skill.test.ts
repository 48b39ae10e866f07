import { screen, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { at, lookAt } from '../test/look'
import { changeOf, partOf, reviewOf, textChange } from '../test/reviews'
import { findingOf } from '../test/rooms'

at('#/inbox/4F2A')

const TEXT = '---\nname: refunds\n---\nPay back what was paid.\n'
const skill = (with_: Parameters<typeof partOf>[1]) => partOf('skill://acme/refunds/SKILL.md', { kind: 'skill', item: 'skill:skill://acme/refunds/SKILL.md', text: TEXT, ...with_ })
const files = changeOf({ path: 'resources', op: 'added', words: 'file `skill://acme/refunds/SKILL.md`, 47 bytes', after: '{}' })

describe('a skill', () => {
  it('shows what it tells Claude, and what asks for rights', async () => {
    await lookAt(reviewOf({
      details: [skill({
        approved: '', state: 'new',
        changes: [
          changeOf({ path: 'SKILL.md', op: 'added', words: 'what it tells Claude', after: TEXT }),
          changeOf({ path: 'frontmatter.allowed-tools', op: 'added', words: 'asks that Claude may use tools without asking you: `Bash(*)`', after: '"Bash(*)"' }),
          files,
        ],
        findings: [findingOf({ rule: 'skill_grants', level: 'medium', title: 'It asks that Claude may use tools without asking you', where: 'frontmatter.allowed-tools', start: 0, end: 0, match: 'Bash(*)' })],
      })],
    }))
    const told = within(screen.getByRole('region', { name: /^What it tells Claude/ }))
    expect(told.getByText(/Pay back what was paid\./)).toBeInTheDocument()
    expect(within(screen.getByRole('region', { name: /^What it says about itself/ })).getByText(/Asks that Claude may use tools without asking you/)).toBeInTheDocument()
    expect(screen.getByRole('region', { name: /^Files/ })).toBeInTheDocument()
    expect(screen.getByText(/the skill, not you, would decide what Claude may do/)).toBeInTheDocument()
  })

  it('shows the words of its text that changed', async () => {
    await lookAt(reviewOf({ details: [skill({ changes: [textChange('SKILL.md', 'what it tells Claude changed', [['equal', 'Pay back '], ['delete', 'once'], ['insert', 'twice']])] })] }))
    expect(within(screen.getByRole('region', { name: /^What it tells Claude/ })).getByText('twice')).toBeInTheDocument()
  })

  it('keeps its text at hand where only its files changed', async () => {
    await lookAt(reviewOf({ details: [skill({ changes: [files] })] }))
    expect(screen.getByText('What it tells Claude, as before')).toBeInTheDocument()
  })
})
