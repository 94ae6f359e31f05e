import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { says, type Server, startServer, TOKEN, USER } from '@/api/server.fixture'
import { saveSignature } from '@/api/storage'
import { useSession } from '@/app/session/store'
import { type BankCard, CARD_BOUND, CARD_PENDING, CARD_UNBINDING, CUSTOMER, LIST_PATH, type PaymentAccount } from './paymentAccount'
import { account as opened } from './paymentAccount.fixture'
import PaymentAccountListPage from './PaymentAccountListPage'

const account: PaymentAccount = { ...opened, agentId: '8', certNoMasked: '**************0Y43', payPasswordSet: true }
const card = (state: BankCard['state']): BankCard => ({
  id: '40',
  bankName: '招商银行',
  cardNoMasked: '**** **** **** 4458',
  holder: '陈*',
  mobileMasked: '139****0001',
  state,
  boundAt: null,
  reason: null,
})

// Drawers are large, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 })
let server: Server

function show(rows: PaymentAccount[], cards: BankCard[], isRoot: boolean, address = '/'): void {
  server.answers(LIST_PATH, says({ success: true, data: { records: rows, total: rows.length, current: 1, size: 20 }, msg: '' }))
  server.answers(`${CUSTOMER}/detail`, says({ success: true, data: { ...account, cards }, msg: '' }))
  const user = { ...USER, isRoot }
  server.answers('/platform/permission/login', says({ suc: true, data: user }))
  useSession.setState({ user, codes: new Set(['all', 'financial', 'financial_06']) })
  render(
    <MemoryRouter initialEntries={[address]}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
          <App>
            <PaymentAccountListPage />
          </App>
        </ConfigProvider>
      </QueryClientProvider>
    </MemoryRouter>,
  )
}
/** The dialog with this title; ids are all the same in tests, so its accessible name says nothing. */
async function dialogNamed(title: string): Promise<HTMLElement> {
  const dialog = (await screen.findByText(title)).closest<HTMLElement>('[role="dialog"]')
  if (dialog === null) throw new Error(`no dialog ${title}`)
  return dialog
}
const sentTo = (path: string) => server.sent.filter((call) => call.path === path).map(({ content }) => content)

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  localStorage.setItem('Access-Token', TOKEN)
  localStorage.setItem('objectId', '900')
  localStorage.setItem('accountStatus', '2')
  localStorage.setItem('accountLevel', '2')
  saveSignature({ _t: 'session-1', _k: toBase64Url(randomBytes(32)) }, Date.now())
  server = startServer()
})
afterEach(() => {
  cleanup()
  useSession.setState({ user: null, codes: null, isShow: false })
  vi.unstubAllGlobals()
})

describe('the list of payment accounts', () => {
  it('asks in the words of the financial host, and by the keyword of the address', async () => {
    show([account], [], false, '/?keyword=鹭岛&page=2&pageSize=50')
    expect(await screen.findByText(account.customerName)).toBeTruthy()
    expect(sentTo(LIST_PATH)[0]).toEqual({ current: '2', size: '50', keyword: '鹭岛' })
  })

  it('CONST-019 shows an account without a status as 正常', async () => {
    show([{ ...account, status: null }], [], false)
    const row = (await screen.findByText(account.customerName)).closest('tr')
    expect(row?.textContent).toContain('正常')
  })

  it('an empty one says where accounts come from', async () => {
    show([], [], false)
    expect(await screen.findByText('还没有支付账户，由代理在分账账单中申请开户')).toBeTruthy()
  })
})

describe('the drawer of an account', () => {
  it('offers freezing and closing to the platform only', async () => {
    show([account], [], false, '/?open=9')
    expect(await screen.findByText('还没有绑定银行卡，由该代理在分账账单中绑定。')).toBeTruthy()
    expect(screen.queryByRole('button', { name: '冻结' })).toBeNull()
    cleanup()
    show([account], [], true, '/?open=9')
    expect(await screen.findByRole('button', { name: '冻结' })).toBeTruthy()
    expect(screen.getByRole('button', { name: '销户' })).toHaveProperty('disabled', false)
  })

  it('an account whose card waits for its code cannot be closed', async () => {
    show([account], [card(CARD_PENDING)], true, '/?open=9')
    expect(await screen.findByRole('button', { name: '销户' })).toHaveProperty('disabled', true)
  })

  it('a bound card is let go by asking with a reason; its number is named by the digits that show', async () => {
    server.answers(`${CUSTOMER}/applyUnbindCard`, says({ success: true, data: null, msg: '' }))
    show([account], [card(CARD_BOUND)], false, '/?open=9')
    fireEvent.click(await screen.findByRole('button', { name: '申请解绑' }))
    const dialog = within(await dialogNamed('申请解绑「招商银行 尾号 4458」？'))
    fireEvent.change(dialog.getByLabelText('原因'), { target: { value: '换卡' } })
    fireEvent.click(dialog.getByRole('button', { name: '申请解绑' }))
    await waitFor(() => expect(sentTo(`${CUSTOMER}/applyUnbindCard`)).toEqual([{ accountId: '9', cardNo: '4458', reason: '换卡' }]))
  })

  it('the platform decides about it, and refuses only with a reason', async () => {
    server.answers(`${CUSTOMER}/card/state`, says({ success: true, data: null, msg: '' }))
    show([account], [card(CARD_UNBINDING)], true, '/?open=9')
    fireEvent.click(await screen.findByRole('button', { name: '驳回' }))
    const dialog = within(await dialogNamed('驳回解绑「招商银行 尾号 4458」？'))
    fireEvent.click(dialog.getByRole('button', { name: '驳回解绑' }))
    expect(await dialog.findByText('请输入原因')).toBeTruthy()
    fireEvent.change(dialog.getByLabelText('原因'), { target: { value: '有款项在途' } })
    fireEvent.click(dialog.getByRole('button', { name: '驳回解绑' }))
    await waitFor(() =>
      expect(sentTo(`${CUSTOMER}/card/state`)).toEqual([{ accountId: '9', cardId: '40', agree: false, reason: '有款项在途' }]),
    )
  })

  it('nobody else decides about it', async () => {
    show([account], [card(CARD_UNBINDING)], false, '/?open=9')
    expect(await screen.findByText('解绑中')).toBeTruthy()
    expect(screen.queryByRole('button', { name: '同意解绑' })).toBeNull()
  })
})
