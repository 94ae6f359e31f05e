import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { menuChildren } from '../access'
import { COMING, routeAt, routes } from '../routes'
import { useSession } from '../session/store'
import { MainMenu } from './MainMenu'

// The whole menu is large, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 })

const everything = new Set(['all', ...routes.flatMap(({ permission }) => permission)])

beforeEach(() => useSession.setState({ codes: everything }))
afterEach(() => {
  cleanup()
  useSession.setState({ codes: null })
})

it('marks the pages to come, and no page that is built', () => {
  const group = routeAt('/vehicle/operation-map')
  if (!group) throw new Error('no such route')
  render(
    <MemoryRouter>
      <MainMenu route={group} theme="dark" shape="side" />
    </MemoryRouter>,
  )
  const said = screen.getAllByRole('menuitem').map((entry) => entry.textContent)
  const shown = [...menuChildren('/', everything), ...menuChildren('/vehicle', everything)].filter(({ page }) => page !== null)
  expect(shown.filter(({ page }) => page === COMING).length).toBeGreaterThan(0)
  expect(shown.filter(({ page }) => page !== COMING).length).toBeGreaterThan(0)
  for (const { page, title } of shown) expect(said).toContain(page === COMING ? `${title}建设中` : title)
})
