import { fireEvent } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import { followKeyboard } from './focus'

it('a heading has a ring only for who moves by keyboard', async () => {
  const root = document.documentElement
  const stop = followKeyboard(root)
  const ring = () => root.hasAttribute('data-keyboard')
  expect(ring()).toBe(false)
  await fireEvent.keyDown(window, { key: 'Shift' })
  expect(ring()).toBe(false)
  await fireEvent.keyDown(window, { key: 'j' })
  expect(ring()).toBe(true)
  await fireEvent.pointerDown(window)
  expect(ring()).toBe(false)
  stop()
  await fireEvent.keyDown(window, { key: 'j' })
  expect(ring()).toBe(false)
})
