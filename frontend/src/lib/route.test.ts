import { describe, expect, it } from 'vitest'
import { hashOf, readRoute } from './route'

describe('an address of the page', () => {
  it.each([
    ['', 'inbox', ''],
    ['#/inbox/4F2A', 'inbox', '4F2A'],
    ['#/settings', 'settings', ''],
    ['#/allow/4F2A', 'inbox', ''],
    ['#/servers/%E0%A4%A', 'servers', ''],
  ])('%s leads to %s', (hash, place, id) => expect(readRoute(hash)).toMatchObject({ place, id }))

  it('brings the identity of a server there and back', () => {
    const identity = 'stdio:["npx","-y","@acme/weather?x=1#2","ä\u202e"]'
    expect(readRoute(hashOf('servers', identity))).toMatchObject({ place: 'servers', id: identity })
    expect(hashOf('servers', identity)).toMatch(/^#\/servers\/[\x21-\x7e]+$/)
  })

  it('keeps what a list is filtered by', () => expect(readRoute(hashOf('activity', '', { kind: 'blocked' })).query.get('kind')).toBe('blocked'))
})
