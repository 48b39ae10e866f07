import { expect, it } from 'vitest'
import { inTurn } from './turns'

it('makes one answer and one more of a storm of hints', async () => {
  let asked = 0
  let answer = () => {}
  const look = inTurn(() => {
    asked++
    return new Promise((done) => (answer = done))
  })
  const first = look()
  for (let i = 0; i < 50; i++) void look()
  answer()
  await Promise.resolve()
  await Promise.resolve()
  answer()
  await first
  expect(asked).toBe(2)
})

it('asks again after an answer failed', async () => {
  let asked = 0
  const look = inTurn(() => (asked++ === 0 ? Promise.reject(new Error('no')) : Promise.resolve()))
  await expect(look()).rejects.toThrow('no')
  await look()
  expect(asked).toBe(2)
})
