import { screen, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { at, lookAt } from '../test/look'
import { partOf, reviewOf } from '../test/reviews'

at('#/inbox/4F2A')

const page = (with_: Parameters<typeof partOf>[1]) => partOf('ui://acme/map', { kind: 'resource', item: 'resource:ui://acme/map', approved: '', state: 'new', ...with_ })
const powers = () => within(screen.getByRole('region', { name: /^What this page may do/ }))

describe('a page', () => {
  it('says in sentences what it may do, each a line of its own', async () => {
    await lookAt(reviewOf({ details: [page({ page: ['send data to and get data from `https://api.acme.test`', 'use the camera'] })] }))
    expect(powers().getAllByRole('listitem').map((line) => line.textContent)).toEqual(['Send data to and get data from https://api.acme.test', 'Use the camera'])
    expect(powers().getByText(/never reach Sallyport: it can't see or block them/)).toBeInTheDocument()
  })

  it('shows what the server wrote as text, and as the server’s', async () => {
    await lookAt(reviewOf({ details: [page({ page: ['load scripts from `<img src=x onerror=alert(1)>`'] })] }))
    expect(powers().queryByRole('img')).toBeNull()
    expect(powers().getByText('<img src=x onerror=alert(1)>').closest('bdi, code')).not.toBeNull()
  })

  it('that changed is compared: what it may do now, then what it shows, as what the client draws', async () => {
    const changes = [
      { path: 'contents[0]._meta.ui.permissions.camera', op: 'added' as const, words: 'it now asks for the camera' },
      { path: 'bodies[0].source', op: 'changed' as const, words: 'what it shows changed', before: 'a', after: 'b', text: [{ op: 'delete' as const, text: 'a' }, { op: 'insert' as const, text: 'b' }] },
    ]
    await lookAt(reviewOf({ details: [page({ approved: 'abc', state: 'changed', page: ['it asks for the camera'], changes })] }))
    expect(within(screen.getByRole('region', { name: /^Changes to what it may do/ })).getByText('It now asks for the camera')).toBeInTheDocument()
    expect(screen.getByRole('region', { name: /^What it shows/ })).toHaveTextContent('the client draws it')
    expect(screen.getByRole('button', { name: /^Allow this page/ })).toBeInTheDocument()
  })

  it('has no such card where a part is no page', async () => {
    await lookAt(reviewOf())
    expect(screen.queryByRole('region', { name: /^What this page may do/ })).toBeNull()
  })
})
