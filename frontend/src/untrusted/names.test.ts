import { describe, expect, it } from 'vitest'
import { serverName, shortened } from './names'

describe('the name of a server', () => {
  it.each([
    ['Arabic', 'ملفات المشروع'], ['Chinese', '项目文件'], ['Japanese', 'プロジェクト'], ['joined emoji', '👩‍👩‍👧‍👦 ❤️‍🔥'], ['blanks', 'Google Drive of mine'],
    ['Persian, joined', 'می‌خواهم'], ['64 characters', 'é'.repeat(64)], ['told apart', 'weather ·a1b2'],
  ])('is shown as it is: %s', (_, name) => {
    expect(serverName(name, 'a server')).toBe(name)
  })

  it.each([
    ['a line break', 'a\nb'], ['a direction', 'a\u202eb'], ['an escape', '\u001b[31m'], ['what is not drawn', 'a\u200bb'], ['a line separator', 'a\u2028b'], ['blanks alone', '  '], ['nothing', ''],
  ])('that the hub did not clean is not said: %s', (_, name) => {
    expect(serverName(name, 'a server')).toBe('a server')
  })

  it('keeps the mark that tells it apart, beside as many characters', () => {
    expect(shortened('x'.repeat(64) + ' ·1a2b')).toBe('x'.repeat(64) + ' ·1a2b')
    expect(shortened('x'.repeat(65) + ' ·1a2b')).toBe('x'.repeat(32) + '…' + 'x'.repeat(31) + ' ·1a2b')
    expect(shortened('x'.repeat(65))).toBe('x'.repeat(32) + '…' + 'x'.repeat(31))
  })

  it('is cut in the middle, and no character in two', () => {
    const family = '👨‍👩‍👧'
    expect(shortened(family.repeat(101), 64)).toBe(family.repeat(32) + '…' + family.repeat(31))
  })
})
