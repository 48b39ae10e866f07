import { describe, expect, it } from 'vitest'
import { countedWords, kindOf, kindOfItem } from './kinds'

describe('the kind of what a server declares', () => {
  it('is a page where a client draws it, in any case of its letters', () => {
    expect([kindOf('resource', 'ui://shop/main'), kindOf('resource', 'UI://shop/main'), kindOfItem('resource:ui://shop/main')]).toEqual(['page', 'page', 'page'])
    expect([kindOf('resource', 'file:///ui'), kindOf('tool', 'ui://x'), kindOfItem('instructions'), kindOfItem('skill:skill://a/SKILL.md')]).toEqual(['resource', 'tool', 'instructions', 'skill'])
  })
  it('is counted, tools first and instructions last, and only where there is one', () => {
    expect(countedWords(1, ['tool:a', 'launch'])).toBe('1 tool')
    expect(countedWords(2, ['instructions', 'skill:a', 'resource:ui://a/b', 'resource-template:file:///{x}', 'resource:file:///x', 'prompt:p'])).toBe('2 tools, 1 prompt, 1 page, 2 resources, 1 skill, instructions')
  })
})
