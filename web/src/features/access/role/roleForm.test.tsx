import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { afterEach, expect, it, vi } from 'vitest'
import { grantableTree } from '@/kit/permission/tree'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { type Role, roleInfo } from './role'
import { useRoleRecord } from './useRoleRecord'

vi.setConfig({ testTimeout: 30_000 })
const role: Role = { id: '7', name: '客服', tier: 2, remark: '', codes: ['3001', '3002'], viewConfig: { carRanges: [], ridingStates: [], voltageSchemeIds: [] }, state: 1, system: false, userCount: 0, version: 3, agentId: null, updatedAt: 0, updatedBy: '' }

const nothing = () => undefined

function Drawer() {
  return <RecordDrawer {...useRoleRecord('7', nothing)} onClose={nothing} />
}

afterEach(cleanup)

it('the question before a change counts the people of now, not of when the drawer was opened', async () => {
  sessionStorage.setItem('ebike_ops__draft_role_7_3', JSON.stringify({ ...role, codes: ['3001'] }))
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(grantableTree.queryKey, [
    { code: '3001', title: '角色列表', kind: 2 },
    { code: '3002', title: '人员列表', kind: 2 },
  ])
  client.setQueryData(roleInfo('7').queryKey, role)
  render(
    <QueryClientProvider client={client}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <Drawer />
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
  // Somebody is given the role meanwhile: the same version of the role, with one person more.
  act(() => void client.setQueryData(roleInfo('7').queryKey, { ...role, userCount: 1 }))
  await screen.findByText('1', { selector: 'dd .figure' })
  fireEvent.click(screen.getByRole('button', { name: '保存' }))
  expect(await screen.findByText('1 位用户的权限将立即改变。')).toBeTruthy()
})
