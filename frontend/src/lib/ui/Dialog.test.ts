import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import Dialog from './Dialog.svelte'

const html = (text: string) => createRawSnippet(() => ({ render: () => text }))

function open() {
  return render(Dialog, {
    props: {
      id: 'question', title: 'Really?', onclose: () => undefined,
      children: html('<label>Why <input></label>'), actions: html('<span><button>No</button><button>Yes</button></span>'),
    },
  })
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a dialog', () => {
  it('has the focus on the safe action', () => {
    open()
    expect(screen.getByRole('button', { name: 'No' })).toHaveFocus()
  })

  it('takes the focus back when nobody has it, to where it was', async () => {
    open()
    screen.getByRole('button', { name: 'No' }).blur()
    expect(document.body).toHaveFocus()
    await vi.runAllTimersAsync()
    expect(screen.getByRole('button', { name: 'No' })).toHaveFocus()
    screen.getByRole('textbox').focus()
    screen.getByRole('textbox').blur()
    await vi.runAllTimersAsync()
    expect(screen.getByRole('textbox')).toHaveFocus()
  })

  it('lets the focus go from one of its own to the next', async () => {
    open()
    screen.getByRole('textbox').focus()
    await vi.runAllTimersAsync()
    expect(screen.getByRole('textbox')).toHaveFocus()
  })

  it('takes the focus when the window gets it back and nobody in it has it', async () => {
    open()
    const safe = screen.getByRole('button', { name: 'No' })
    safe.blur()
    vi.clearAllTimers()
    await fireEvent.focus(window)
    await vi.runAllTimersAsync()
    expect(safe).toHaveFocus()
  })

  it('gives it back to what had it before', async () => {
    const opener = document.body.appendChild(document.createElement('button'))
    opener.focus()
    const { unmount } = open()
    unmount()
    await vi.runAllTimersAsync()
    expect(opener).toHaveFocus()
    opener.remove()
  })
})
