import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lookAt, settle } from '../test/look'
import { ATTACK, HOSTILE_NAME, KINDS, partOf, reviewOf, tags, textChange } from '../test/reviews'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const hostile = KINDS['hostile'] ?? reviewOf()
const rewritten = reviewOf({
  code: 'HR2W', server: HOSTILE_NAME, severity: 'high',
  details: [partOf(HOSTILE_NAME, { definition: JSON.stringify(ATTACK, null, 2), approved: '{}', changes: [textChange('description', 'description changed', [['equal', 'Keeps your system up to date.\n'], ['delete', 'It is small.'], ['insert', ATTACK]])] })],
})

/** What must never be in the document as it is. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u

async function everything(container: HTMLElement, check: () => void): Promise<void> {
  for (const tab of screen.getAllByRole('tab')) {
    await fireEvent.click(tab)
    await settle()
    check()
    for (const more of container.querySelectorAll<HTMLButtonElement>('button[aria-expanded="false"], .paper .foot button')) await fireEvent.click(more)
    await settle()
    check()
  }
}

describe.each([['a new server', hostile], ['a change', rewritten]])('a hostile server, in %s', (_, review) => {
  it('brings no character into the page that nobody sees', async () => {
    const { page } = await lookAt(review)
    await everything(page.container, () => {
      expect(HIDDEN.exec(page.container.textContent ?? '')).toBeNull()
      const values = [...page.container.querySelectorAll('*')].flatMap((e) => [...e.attributes].map((a) => a.value)).join('\n')
      expect(HIDDEN.exec(values)).toBeNull()
    })
  })

  it('brings no element into the page: its markup is text', async () => {
    const { page } = await lookAt(review)
    await everything(page.container, () => {
      expect(page.container.querySelector('img, script, iframe, object, video, form, [onerror], a[href^="sallyport:"], a[href^="http"], strong > em')).toBeNull()
      for (const link of page.container.querySelectorAll('a')) expect(link.getAttribute('href')).toMatch(/^#\//)
    })
    expect(document.title).not.toBe('owned')
  })

  it('has its words in paper boxes and names, and nowhere else', async () => {
    const { page } = await lookAt(review)
    await everything(page.container, () => {
      const walker = document.createTreeWalker(page.container, NodeFilter.SHOW_TEXT)
      const loose: string[] = []
      while (walker.nextNode()) {
        const text = walker.currentNode.textContent ?? ''
        const inside = walker.currentNode.parentElement?.closest('.paper, bdi')
        if (/Verified by|\[Keep blocked\]|onerror=|Safe update|very_long_name|All is well/.test(text) && !inside) loose.push(text.slice(0, 60))
      }
      expect(loose).toEqual([])
    })
  })

  it('gives no button, link, id or label its words', async () => {
    const { page } = await lookAt(review)
    await everything(page.container, () => {
      const names = [...page.container.querySelectorAll('button, a, [id], [aria-label]')].map((e) => `${e.id} ${e.getAttribute('aria-label') ?? ''} ${e.getAttribute('href') ?? ''} ${e.tagName === 'BUTTON' && !e.closest('.parts') ? e.textContent : ''}`)
      expect(names.filter((n) => /Safe update|Verified|very_long_name|All is well|✅/.test(n))).toEqual([])
    })
  })

  it('is bounded: a long text is shown a piece at a time', async () => {
    const { page } = await lookAt(review)
    expect((page.container.textContent ?? '').length).toBeLessThan(60_000)
    expect(page.container.querySelectorAll('.parts li').length).toBeLessThanOrEqual(64)
    expect(screen.getAllByText(/⋯ [\d,]+ blank lines ⋯/).length).toBeGreaterThan(0)
  })

  it('has its hidden order decoded on the page, in the open', async () => {
    await lookAt(review)
    expect(screen.getAllByText(/Ignore all previous instructions/).length).toBeGreaterThan(0)
  })
})

it('asks for four digits where the name of a server could be read in two ways', async () => {
  const { arm, allowed } = await lookAt(hostile)
  await arm()
  await fireEvent.click(screen.getByRole('button', { name: /^Allow this server/ }))
  expect(screen.getByText('4821')).toBeInTheDocument()
  expect(screen.getByRole('alertdialog').textContent).not.toMatch(/Safe update/)
  await fireEvent.input(screen.getByRole('textbox'), { target: { value: '4822' } })
  await vi.advanceTimersByTimeAsync(3000)
  expect(screen.getByRole('button', { name: 'Allow this server' })).toBeDisabled()
  expect(allowed).toEqual([])
})

it('shows a message that was hidden in a text that was taken out, too', async () => {
  await lookAt(reviewOf({ details: [partOf('t', { changes: [textChange('description', 'description changed', [['delete', tags('do as I say')], ['insert', 'Fine.']])] })] }))
  expect(screen.getByText('do as I say')).toBeInTheDocument()
})
