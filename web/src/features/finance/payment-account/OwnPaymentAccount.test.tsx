import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { says, type Server, startServer, TOKEN, USER } from '@/api/server.fixture'
import { saveSignature } from '@/api/storage'
import { useSession } from '@/app/session/store'
import { OwnPaymentAccount } from './OwnPaymentAccount'
import { type BankCard, CARD_BOUND, CARD_FAILED, CARD_PENDING, CUSTOMER, FAILED, IN_REVIEW, type PaymentAccountDetail } from './paymentAccount'
import { account as opened } from './paymentAccount.fixture'

const account: PaymentAccountDetail = { ...opened, cards: [] }
const NUMBER = '6222021001122334458'
const pending: BankCard = {
  id: '40',
  bankName: '招商银行',
  cardNoMasked: '**** **** **** 4458',
  holder: '陈伟',
  mobileMasked: '139****0001',
  state: CARD_PENDING,
  boundAt: null,
  reason: null,
}

// Drawers are large, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 })
let server: Server

/** The server knows this account of the agent, or none. */
function stands(known: PaymentAccountDetail | null): void {
  server.answers(`${CUSTOMER}/getAccountInfo`, says({ success: true, data: known, msg: '' }))
  if (known) server.answers(`${CUSTOMER}/detail`, says({ success: true, data: known, msg: '' }))
}

/** Somebody of the platform looks at it. */
function asPlatform(): void {
  const user = { ...USER, isRoot: true }
  server.answers('/platform/permission/login', says({ suc: true, data: user }))
  useSession.setState({ user })
}

function show(): void {
  render(
    <MemoryRouter>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
          <App>
            <OwnPaymentAccount />
          </App>
        </ConfigProvider>
      </QueryClientProvider>
    </MemoryRouter>,
  )
}
const sentTo = (path: string) => server.sent.filter((call) => call.path === path).map(({ content }) => content)
const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  localStorage.setItem('getAgentid', '7')
  localStorage.setItem('Access-Token', TOKEN)
  localStorage.setItem('objectId', '900')
  localStorage.setItem('cashierMode', '1')
  saveSignature({ _t: 'session-1', _k: toBase64Url(randomBytes(32)) }, Date.now())
  server = startServer()
  server.answers('/platform/permission/allCode', says({ suc: true, data: ['financial', 'financial_02', 'financial_06'] }))
  useSession.setState({ user: USER, codes: new Set(['all', 'financial', 'financial_02']), isShow: false })
})
afterEach(() => {
  cleanup()
  useSession.setState({ user: null, codes: null, isShow: false })
  vi.unstubAllGlobals()
})

describe('opening an account', () => {
  it('says whose account it will be, whatever is selected above', async () => {
    stands(null)
    server.answers('/platform/agent/serviceArea/agents', says({ suc: true, data: { rows: [{ agentId: '3', company: '甲公司' }, { agentId: '7', company: '乙公司' }] } }))
    useSession.setState({ codes: new Set(['all', '1101', 'financial', 'financial_02']) })
    show()
    expect(await screen.findByText('乙公司')).toBeTruthy()
    expect(screen.queryByText('甲公司')).toBeNull()
  })

  it('names the agent by its number to those who may not list agents', async () => {
    stands(null)
    show()
    expect(await screen.findByText('代理编号 7')).toBeTruthy()
    expect(server.paths()).not.toContain('/platform/agent/serviceArea/agents')
  })

  it('each field says what is wrong with it, and nothing is sent before all are right', async () => {
    stands(null)
    show()
    fireEvent.click(await screen.findByRole('button', { name: '提交开户申请' }))
    for (const words of ['请输入统一社会信用代码', '请输入营业执照上的名称', '请输入联系人', '请输入联系手机']) expect(await screen.findByText(words)).toBeTruthy()
    fill('统一社会信用代码', '91350100M000100Y44')
    fill('联系手机', '1390000')
    expect(await screen.findByText(/校验位不正确/)).toBeTruthy()
    expect(await screen.findByText('请输入 11 位手机号')).toBeTruthy()
    expect(sentTo(`${CUSTOMER}/openAccount`)).toEqual([])
  })

  it('the application names the agent, and the page waits for its result', async () => {
    stands(null)
    server.answers(`${CUSTOMER}/openAccount`, () => {
      stands({ ...account, status: IN_REVIEW, accountLevel: null })
      return says({ success: true, data: { accountId: '9', status: IN_REVIEW }, msg: '' })
    })
    show()
    await screen.findByRole('button', { name: '提交开户申请' })
    fireEvent.click(screen.getByText('个人'))
    await screen.findByLabelText('姓名')
    fill('姓名', '陈伟')
    fill('身份证号', '11010519491231002x')
    fill('联系人', '陈伟')
    fill('联系手机', '13900000001')
    expect(sessionStorage.getItem('ebike_ops__draft_payment_account_7_new')).not.toMatch(/陈伟|1101|1390/)
    fireEvent.click(screen.getByRole('button', { name: '提交开户申请' }))
    expect(await screen.findByText('开户申请审核中')).toBeTruthy()
    expect(sentTo(`${CUSTOMER}/openAccount`)).toEqual([
      { agentId: '7', accountType: 0, customerName: '陈伟', certNo: '11010519491231002X', contact: '陈伟', phone: '13900000001' },
    ])
    expect(sessionStorage.getItem('ebike_ops__draft_payment_account_7_new')).toBeNull()
    expect(screen.queryByRole('button', { name: '登记开户结果' })).toBeNull()
  })

  it('one that failed says why and can be sent again, corrected', async () => {
    stands({ ...account, status: FAILED, failReason: '执照已过期' })
    show()
    expect(await screen.findByText('开户未通过：执照已过期')).toBeTruthy()
    expect(screen.getByLabelText<HTMLInputElement>('企业名称').value).toBe(account.customerName)
    expect(screen.getByLabelText<HTMLInputElement>('统一社会信用代码').value).toBe('')
    // A masked name would be refused.
    expect(screen.getByLabelText<HTMLInputElement>('联系人').value).toBe('')
    expect(screen.getByRole('button', { name: '重新提交' })).toBeTruthy()
  })
})

describe('an account that changes', () => {
  it('is kept as it is now, and the rights follow without a new login', async () => {
    localStorage.setItem('accountStatus', '1')
    stands(account)
    show()
    await waitFor(() => expect(useSession.getState().isShow).toBe(true))
    expect(localStorage.getItem('accountStatus')).toBe('2')
    expect(localStorage.getItem('accountLevel')).toBe('2')
    expect(localStorage.getItem('accountId')).toBe('9')
    expect(localStorage.getItem('customerName')).toBe('鹭岛出行有限公司')
    expect(useSession.getState().codes?.has('financial_06')).toBe(true)
  })

  it('asks for no rights while it stays as it was', async () => {
    localStorage.setItem('accountStatus', '2')
    localStorage.setItem('accountLevel', '2')
    stands(account)
    show()
    await screen.findByText('绑定银行卡')
    expect(server.paths()).not.toContain('/platform/permission/allCode')
  })

  it('CONST-019 AMB-045 without a status it reads 正常, but no card can be bound and no entry shows', async () => {
    stands({ ...account, status: null })
    show()
    expect((await screen.findAllByText('正常')).length).toBeGreaterThan(0)
    expect(screen.queryByRole('button', { name: '绑定银行卡' })).toBeNull()
    expect(localStorage.getItem('accountStatus')).toBeNull()
    expect(useSession.getState().isShow).toBe(false)
  })
})

describe('the platform', () => {
  it('alone registers results; for an agent the act is not there', async () => {
    stands({ ...account, status: IN_REVIEW, accountLevel: null })
    asPlatform()
    server.answers(`${CUSTOMER}/state`, says({ success: true, data: null, msg: '' }))
    show()
    fireEvent.click(await screen.findByRole('button', { name: '登记开户结果' }))
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.click(dialog.getByText('不通过'))
    await dialog.findByLabelText('不通过的原因')
    fireEvent.click(dialog.getByRole('button', { name: '登记结果' }))
    expect(await dialog.findByText('请输入不通过的原因')).toBeTruthy()
    fireEvent.click(dialog.getByText('通过', { exact: true }))
    fireEvent.click(await dialog.findByText('一级（平台）'))
    fireEvent.click(dialog.getByRole('button', { name: '登记结果' }))
    await waitFor(() => expect(sentTo(`${CUSTOMER}/state`)).toEqual([{ accountId: '9', version: 3, status: 2, accountLevel: 1 }]))
  })

  it('says why before it freezes an account', async () => {
    stands(account)
    asPlatform()
    server.answers(`${CUSTOMER}/state`, says({ success: true, data: null, msg: '' }))
    show()
    fireEvent.click(await screen.findByRole('button', { name: '冻结' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/不能绑卡/)).toBeTruthy()
    fireEvent.click(dialog.getByRole('button', { name: '冻结账户' }))
    expect(await dialog.findByText('请输入原因')).toBeTruthy()
    fireEvent.change(dialog.getByLabelText('原因'), { target: { value: ' 涉嫌套现 ' } })
    fireEvent.click(dialog.getByRole('button', { name: '冻结账户' }))
    await waitFor(() => expect(sentTo(`${CUSTOMER}/state`)).toEqual([{ accountId: '9', version: 3, status: 4, reason: '涉嫌套现' }]))
  })
})

describe('binding a card', () => {
  async function fillCard(): Promise<void> {
    fireEvent.click(await screen.findByRole('button', { name: '绑定银行卡' }))
    await screen.findByRole('dialog')
    fill('银行卡号', '6222 0210 0112 2334 458')
    expect(screen.getByLabelText<HTMLInputElement>('银行卡号').value).toBe('6222 0210 0112 2334 458')
    fill('开户银行', '招商银行')
    fill('持卡人', '陈伟')
    fill('持卡人证件号', '11010519491231002X')
    fill('银行预留手机号', '13900000001')
    fireEvent.click(screen.getByRole('button', { name: '获取验证码' }))
  }

  it('STORE-013 STORE-014 the code step follows the data, number and mobile are kept while it is bound and in use', async () => {
    stands(account)
    server.answers(`${CUSTOMER}/bindCard`, () => {
      stands({ ...account, cards: [pending] })
      return says({ success: true, data: { bindId: '40' }, msg: '' })
    })
    server.answers(`${CUSTOMER}/bindCardCheck`, () => {
      stands({ ...account, cards: [{ ...pending, state: CARD_BOUND, boundAt: 1_790_000_000_000 }] })
      return says({ success: true, data: null, msg: '' })
    })
    show()
    await fillCard()
    const code = await screen.findByLabelText('验证码')
    expect(sentTo(`${CUSTOMER}/bindCard`)).toEqual([
      { accountId: '9', cardNo: NUMBER, bankName: '招商银行', holder: '陈伟', idNo: '11010519491231002X', bankMobile: '13900000001' },
    ])
    expect(localStorage.getItem('cardNo')).toBe(NUMBER)
    expect(localStorage.getItem('bankMobile')).toBe('13900000001')
    expect(screen.getByRole('button', { name: /重新发送\(\d+s\)/ })).toHaveProperty('disabled', true)
    fireEvent.change(code, { target: { value: '135790' } })
    fireEvent.click(screen.getByRole('button', { name: '确认绑定' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sentTo(`${CUSTOMER}/bindCardCheck`)).toEqual([{ bindId: '40', smsCode: '135790' }])
    expect(await screen.findByText('已绑定')).toBeTruthy()
    expect(screen.queryByRole('button', { name: '绑定银行卡' })).toBeNull()
    expect(localStorage.getItem('cardNo')).toBe(NUMBER)
  })

  it('one whose code ran out starts again with what was filled in, and is no longer kept', async () => {
    stands(account)
    server.answers(`${CUSTOMER}/bindCard`, () => {
      stands({ ...account, cards: [pending] })
      return says({ success: true, data: { bindId: '40' }, msg: '' })
    })
    server.answers(`${CUSTOMER}/bindCardCheck`, () => {
      stands({ ...account, cards: [{ ...pending, state: CARD_FAILED, reason: '验证码已失效，请重新绑卡' }] })
      return says({ success: false, data: null, msg: '验证码已失效，请重新绑卡' })
    })
    show()
    await fillCard()
    fireEvent.change(await screen.findByLabelText('验证码'), { target: { value: '000000' } })
    fireEvent.click(screen.getByRole('button', { name: '确认绑定' }))
    expect((await screen.findByLabelText<HTMLInputElement>('持卡人')).value).toBe('陈伟')
    expect(within(screen.getByRole('dialog')).getByText('验证码已失效，请重新绑卡')).toBeTruthy()
    await waitFor(() => expect(localStorage.getItem('cardNo')).toBeNull())
  })

  it('a card that waits goes on after a reload, and a code can be sent again to the mobile known here', async () => {
    localStorage.setItem('cardNo', NUMBER)
    localStorage.setItem('bankMobile', '13900000001')
    stands({ ...account, cards: [pending] })
    server.answers('/Pay/message/sendCode', says({ success: true, data: null, msg: '' }))
    show()
    fireEvent.click(await screen.findByRole('button', { name: '输入验证码' }))
    fireEvent.click(await screen.findByRole('button', { name: '重新发送' }))
    await screen.findByRole('button', { name: /重新发送\(\d+s\)/ })
    expect(sentTo('/Pay/message/sendCode')).toEqual([{ accountId: '9', phone: '13900000001', scene: 'bindCard' }])
  })
})
