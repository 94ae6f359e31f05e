import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { afterEach, expect, it, vi } from 'vitest'
import { allDevices, BOUND, type OperatorDevice, WAITING } from './operatorDevice'
import { PendingDevices } from './PendingDevices'

vi.setConfig({ testTimeout: 30_000 })
const device = (id: string, state: number): OperatorDevice => ({
  id,
  state,
  requestedAt: 1,
  lastLoginAt: null,
  updatedAt: 1,
  mobilePhoneNumber: '138****5678',
  operatorName: '王小明',
  device_code: id,
  device_name: 'Chrome 120 · Windows',
  device_type: 1,
  login_address: '10.0.0.1',
})

function show(...list: OperatorDevice[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(allDevices.queryKey, { list })
  render(
    <QueryClientProvider client={client}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <PendingDevices />
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
}

afterEach(cleanup)

it('devices that wait are one line, which opens to them', async () => {
  show(device('a', WAITING), device('b', WAITING), device('c', BOUND))
  const line = screen.getByRole('button', { name: /待授权设备 2/ })
  expect(line.getAttribute('aria-expanded')).toBe('false')
  expect(screen.queryByRole('listitem')).toBeNull()
  fireEvent.click(line)
  expect(await screen.findAllByRole('listitem')).toHaveLength(2)
})

it('without any there is no line', () => {
  show(device('c', BOUND))
  expect(document.body.textContent).toBe('')
})
