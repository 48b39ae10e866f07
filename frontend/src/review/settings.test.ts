import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aboutOf } from '../inbox/words'
import { lookAt, settle } from '../test/look'
import { changeOf, itemOf, KINDS, partOf, reviewOf } from '../test/reviews'

beforeEach(() => vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const loosened = (name: string, before: string, after: string) =>
  reviewOf({
    ...KINDS['settings_changed'],
    details: [partOf(name, { kind: 'setting', item: `setting:${name}`, changes: [changeOf({ path: name, words: `changed: ${before} → ${after}`, before, after })] })],
  })

describe('a setting that the file makes less safe', () => {
  it('says in words what holds now and what would hold', async () => {
    await lookAt(loosened('sandbox', 'strict', 'off'))
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Made less safe: Sandbox')
    const card = within(screen.getByRole('region', { name: 'What would change' }))
    expect(card.getByText('No network, no home folder')).toBeInTheDocument()
    expect(card.getByText('No sandbox')).toBeInTheDocument()
    expect(card.getByText('The program can read and write everything you can.')).toBeInTheDocument()
  })

  it('says what it would stop before the second press', async () => {
    const { arm } = await lookAt(loosened('pins.launch', 'notify', 'off'))
    await arm()
    await fireEvent.click(screen.getByRole('button', { name: /^Allow this setting/ }))
    await settle()
    expect(screen.getByRole('group', { name: /^Allow this setting/ })).toHaveTextContent('If you allow this: You don’t find out when a different program runs. Someone changed it in the settings file, outside this window. Was that you?')
  })

  it('has words for a value that is typed, too', async () => {
    await lookAt(loosened('pins.recheck', '30s', '2h'))
    expect(screen.getByText('30 seconds')).toBeInTheDocument()
    expect(screen.getByText('A change that a server doesn’t announce can go unnoticed for 2 hours.')).toBeInTheDocument()
  })

  it('says for whom it counts', async () => {
    await lookAt(loosened('sandbox@srv1', 'strict', 'off'))
    expect(screen.getByText('for one server')).toBeInTheDocument()
  })

  it('that has no words is shown as it stands, in a box, and never as ours', async () => {
    await lookAt(loosened('brand.new', 'a', 'Verified by Sallyport'))
    const box = screen.getByRole('group', { name: /not from Sallyport/ })
    expect(box).toHaveTextContent('brand.new: a → Verified by Sallyport')
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Made less safe: A Sallyport setting')
  })

  it('that names a program shows it in a box, and never as ours', async () => {
    await lookAt(loosened('guardrail.command.argv', 'off', '["/tmp/x","Verified by Sallyport"]'))
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Made less safe: Your program')
    expect(screen.getByRole('group', { name: /not from Sallyport/ })).toHaveTextContent('Verified by Sallyport')
    expect(screen.getAllByText(/Verified by Sallyport/)).toHaveLength(1)
    expect(screen.getByText('Sallyport runs this program, as you and without a sandbox.')).toBeInTheDocument()
  })

  it('is named in the list by its words', () => {
    const review = loosened('sandbox', 'strict', 'off')
    expect(aboutOf(itemOf({ ...review, parts: [{ item: 'setting:sandbox', state: 'changed', findings: [], passages: [] }] })).words).toBe('Sandbox')
  })
})
