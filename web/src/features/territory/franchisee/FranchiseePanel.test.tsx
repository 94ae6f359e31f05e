import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { says, type Server, startServer } from '@/api/server.fixture'
import { saveSignature } from '@/api/storage'
import { COOPERATING, type Franchisee, FRANCHISEE_PATH } from './franchisee'
import { FranchiseesOfAgent } from './FranchiseePanel'

const franchisee: Franchisee = {
  id: '70',
  agentId: '2',
  agentCompany: '鹭岛出行',
  company: '湖滨出行有限公司',
  licenseNo: '91350200MA31C0001Y',
  contact: '陈*',
  phone: '139****0001',
  legalPerson: '陈**',
  serviceAreaIds: ['20'],
  serviceAreas: [{ id: '20', name: '湖滨', agentId: '2' }],
  joinedAt: '2026-06-01',
  contractEnd: '2099-12-31',
  vehicleCount: 12,
  depositPaid: 5_000_000,
  divideRatioBp: 3050,
  state: COOPERATING,
  remark: '',
  endedReason: '',
  createdAt: 1_790_000_000_000,
  updatedAt: 1_790_000_000_000,
  version: 3,
}

// Drawers are large, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 })
let server: Server

function show() {
  render(
    <MemoryRouter>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
          <App>
            <FranchiseesOfAgent agentId="2" />
          </App>
        </ConfigProvider>
      </QueryClientProvider>
    </MemoryRouter>,
  )
}
const sentTo = (method: string, path: string) => server.sent.filter((call) => call.method === method && call.path === path)
const page = (rows: Franchisee[]) => says({ suc: true, data: { rows, count: rows.length, capped: false } })

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  saveSignature({ _t: 'session-1', _k: toBase64Url(randomBytes(32)) }, Date.now())
  server = startServer()
  server.answers(FRANCHISEE_PATH, page([franchisee]))
  server.answers(`${FRANCHISEE_PATH}/info`, says({ suc: true, data: franchisee }))
  server.answers(`${FRANCHISEE_PATH}/unmask`, says({ suc: true, data: { contact: '陈伟', phone: '13900000001', legalPerson: '陈建国' } }))
  server.answers('/platform/agent/serviceArea/belongToAgent', says({ suc: true, data: { list: [{ id: '20', name: '湖滨', agentId: '2' }], count: 1 } }))
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

describe('the franchisees of one agent', () => {
  it('only its own are asked for; without any, one can be registered', async () => {
    server.answers(FRANCHISEE_PATH, page([]))
    show()
    expect(await screen.findByText('这家代理还没有加盟商')).toBeTruthy()
    expect(sentTo('GET', FRANCHISEE_PATH)[0]?.content).toMatchObject({ agentId: '2' })
    fireEvent.click(screen.getByRole('button', { name: /登记加盟商/ }))
    const drawer = within(await screen.findByRole('dialog'))
    expect(drawer.queryByLabelText('所属代理')).toBeNull()
  })

  it('PERM-005 a change sends names and phone only when they were written anew', async () => {
    show()
    fireEvent.click(await screen.findByRole('button', { name: franchisee.company }))
    const remark = await screen.findByLabelText('备注')
    fireEvent.change(remark, { target: { value: '重点客户' } })
    fireEvent.click(screen.getByRole('button', { name: '保存' }))
    await waitFor(() => expect(sentTo('PUT', FRANCHISEE_PATH)).toHaveLength(1))
    expect(sentTo('PUT', FRANCHISEE_PATH)[0]?.content).toEqual({
      id: '70',
      version: 3,
      company: franchisee.company,
      licenseNo: franchisee.licenseNo,
      serviceAreaIds: ['20'],
      joinedAt: '2026-06-01',
      contractEnd: '2099-12-31',
      depositPaid: 5_000_000,
      divideRatioBp: 3050,
      remark: '重点客户',
    })
  })

  it('names and phone come whole only after a yes, and are kept nowhere', async () => {
    show()
    fireEvent.click(await screen.findByRole('button', { name: franchisee.company }))
    fireEvent.click(await screen.findByRole('button', { name: /查看完整信息/ }))
    expect(sentTo('POST', `${FRANCHISEE_PATH}/unmask`)).toHaveLength(0)
    fireEvent.click(await screen.findByRole('button', { name: '查看并记录' }))
    expect(await screen.findByText('13900000001')).toBeTruthy()
    expect(sentTo('POST', `${FRANCHISEE_PATH}/unmask`)[0]?.content).toEqual({ id: '70' })
    for (const store of [localStorage, sessionStorage]) {
      for (let at = 0; at < store.length; at += 1) expect(store.getItem(store.key(at) ?? '')).not.toContain('13900000001')
    }
  })
})
