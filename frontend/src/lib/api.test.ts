import { expect, test } from 'vitest'
import { CODES, refusalOf } from './api'

test('a refusal comes through the bindings with its code and where to look', () => {
  const thrown = new Error('{"code":4009,"message":"it changed since it was shown: review it again","see":"77B0"}')
  expect(refusalOf(thrown)).toEqual({ code: CODES.stale, message: 'it changed since it was shown: review it again', see: '77B0' })
})

test('any other failure is told as it is', () => {
  expect(refusalOf(new Error('{"code":'))).toEqual({ code: 0, message: '{"code":', see: '' })
  expect(refusalOf('gone')).toEqual({ code: 0, message: 'gone' })
})
