import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setListener } from '@/api/client'
import { lost, PHONE, says, type Server, startServer, USER } from '@/api/server.fixture'
import { currentJobs, startJob } from '@/kit/jobs/store'
import { useCodes } from '@/kit/permission/held'
import { ALL, decide, menuChildren } from '../access'
import { plugNavigator } from '../nav'
import { notify, plugNotifier, REPEAT_MS } from '../notify'
import { login } from './loginFlow'
import { gateFinancial, showsAccount } from './permission'
import { endSession, followOut, loadUser, logOut, refreshRights, useSession } from './store'
import { clearSession, isLoggedIn } from './stored'

const went = vi.fn<(to: string) => void>()
const error = vi.fn<(title: string, description: string) => void>()
const financial = ['financial', ...[1, 2, 3, 4, 5, 6].map((page) => `financial_0${page}`)]
const codes = [...financial, 'FinancialReconciliation', '15', '03', '0301']

let server: Server
let now = 0
beforeEach(() => {
  // Beyond the time in which the same error is not told twice.
  vi.spyOn(performance, 'now').mockReturnValue((now += REPEAT_MS))
  localStorage.clear()
  sessionStorage.clear()
  clearSession()
  went.mockClear()
  error.mockClear()
  useSession.setState({ user: null, codes: null, isShow: false, isShowMenu: 'false', loading: false })
  plugNotifier({ error, success: () => {} })
  plugNavigator(async (to) => {
    went(to)
    window.location.hash = to
  })
  setListener({ failed: notify.error, signedOut: endSession })
  server = startServer()
  server.answers('/platform/permission/allCode', says({ suc: true, data: codes }))
})
afterEach(() => {
  plugNotifier(null)
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const logIn = () => login(PHONE, { kind: 'sms', code: '135790' }, { verified: () => {} })

/** Logs in with this account and billing way and loads what follows from them. */
async function openWith(status: number | null, level: number | null, billingWay: number | null = 1): Promise<void> {
  const account = { id: 5, accountLevel: level, authStatus: 3, status, accountType: null, customerName: '某商户' }
  server.answers('/Pay/customer/getAccountInfo', says({ success: true, data: account, msg: '' }))
  server.answers('/platform/agent/billingWay', says({ suc: true, data: { billingWay } }))
  await logIn()
  await loadUser()
}

/** Where a visit of `path` ends. */
function visit(path: string): string {
  const outcome = decide(path, '', { loggedIn: isLoggedIn(), codes: useSession.getState().codes })
  return outcome.kind === 'redirect' ? outcome.to : outcome.kind === 'page' ? outcome.route.path : 'load'
}

function menu(parent = '/'): string[] {
  const { codes: held, isShowMenu } = useSession.getState()
  return menuChildren(parent, held ?? new Set(), { '/financial': isShowMenu }).map((route) => route.path)
}

describe('the financial gate', () => {
  it('GATE-001 PERM-017 CONST-018 with a status other than 2 the financial pages are gone', async () => {
    await openWith(1, 2)
    expect(visit('/financial/billDetails')).toBe('/404')
    expect(gateFinancial(codes, { status: 1, level: 2 }).filter((code) => code.includes('financial'))).toHaveLength(2)
  })

  it('GATE-002 with a status other than 2 产品服务 stays in the menu', async () => {
    await openWith(1, 2)
    expect(menu()).toContain('/financial')
  })

  it('GATE-003 with a status other than 2 the divide-bills stay', async () => {
    await openWith(1, 2)
    expect(visit('/financial/SplitBill')).toBe('/financial/SplitBill')
    expect(menu('/financial')).toEqual(['/financial/SplitBill'])
  })

  it('GATE-004 FinancialReconciliation is another word', async () => {
    await openWith(1, 2)
    expect(visit('/report/download-statistics')).toBe('/report/download-statistics')
  })

  it('GATE-005 level 1 with status 2 has no bill details', async () => {
    await openWith(2, 1)
    expect(visit('/financial/billDetails')).toBe('/404')
    expect(visit('/financial/CostCenter')).toBe('/financial/CostCenter')
  })

  it('GATE-006 level 1 with status 2 has no objections', async () => {
    await openWith(2, 1)
    expect(visit('/financial/objectionBill')).toBe('/404')
  })

  it.each([2, 3, null])('GATE-007 with status 2 and level %s every financial page opens', async (level) => {
    await openWith(2, level)
    for (const page of ['CostCenter', 'SplitBill', 'billDetails', 'objectionBill', 'SubAccountRule', 'AccountManager']) {
      expect(visit(`/financial/${page}`)).toBe(`/financial/${page}`)
    }
  })

  it('AMB-045 an account that nobody knows of is not open', async () => {
    await openWith(null, null)
    expect(visit('/financial/CostCenter')).toBe('/404')
  })
})

describe('account display', () => {
  const isShow = () => useSession.getState().isShow

  it('ACCT-001 an open account with a level shows', async () => {
    await openWith(2, 2)
    expect(isShow()).toBe(true)
  })

  it('ACCT-002 an account without a level does not', async () => {
    await openWith(2, null)
    expect(isShow()).toBe(false)
  })

  it('ACCT-003 an account that is not open does not', async () => {
    await openWith(1, 2)
    expect(isShow()).toBe(false)
  })

  it('ACCT-004 in cashier mode 0 产品服务 is in the menu', async () => {
    await openWith(2, 2, 0)
    expect(menu()).toContain('/financial')
  })

  it('ACCT-005 in cashier mode 0 nothing shows whatever the account', async () => {
    await openWith(2, 2, 0)
    expect(isShow()).toBe(false)
    expect(showsAccount({ status: 2, level: 0 }, '0')).toBe(false)
  })

  it('AMB-043 without a billing way 产品服务 is not in the menu', async () => {
    await openWith(2, 2, null)
    expect(menu()).not.toContain('/financial')
    expect(visit('/financial/SplitBill')).toBe('/financial/SplitBill')
  })
})

describe('the rights', () => {
  it('what the kit shows follows them', () => {
    useSession.setState({ codes: new Set(['0301']) })
    expect([...useCodes.getState()]).toEqual(['0301'])
    useSession.setState({ codes: null })
    expect(useCodes.getState().size).toBe(0)
  })

  it('PERM-006 the permission list is asked for with the login phone', async () => {
    await logIn()
    await loadUser()
    const call = server.sent.find((sent) => sent.path === '/platform/permission/allCode')
    expect(call).toMatchObject({ method: 'GET', content: { opManId: localStorage.getItem('opMan') } })
    expect(useSession.getState().codes).toContain(ALL)
  })

  it('ACCESS-012 whoever is logged in has all, also without a single code', async () => {
    server.answers('/platform/permission/allCode', says({ suc: true, data: [] }))
    await logIn()
    await loadUser()
    expect(useSession.getState().codes).toEqual(new Set([ALL]))
    expect([visit('/log'), visit('/vehicle/operation-map')]).toEqual(['/log', '/404'])
  })

  it('PERM-007 a code that is taken away takes page and menu entry with it', async () => {
    await openWith(2, 2)
    expect([visit('/vehicle/operation-map'), menu('/vehicle')]).toEqual(['/vehicle/operation-map', ['/vehicle/operation-map']])
    server.answers('/platform/permission/allCode', says({ suc: true, data: codes.filter((code) => code !== '0301') }))
    await refreshRights()
    expect([visit('/vehicle/operation-map'), menu('/vehicle')]).toEqual(['/404', []])
  })

  it('rights that cannot be asked for again stay as they are', async () => {
    await openWith(2, 2)
    server.answers('/platform/permission/allCode', lost)
    await refreshRights()
    expect(visit('/vehicle/operation-map')).toBe('/vehicle/operation-map')
  })

  it.each(['/platform/permission/login', '/platform/permission/allCode'])(
    'SESSION-006 SESSION-007 when %s fails it is said, and the session ends at /login-home',
    async (path) => {
      await logIn()
      server.answers(path, says({ message: '内部错误' }, 500))
      await loadUser()
      expect(error.mock.calls).toEqual([['错误', '请求用户信息失败，请重试']])
      expect(went.mock.calls).toEqual([['/login-home']])
      expect(isLoggedIn()).toBe(false)
      expect(localStorage.getItem('Access-Token')).toBeNull()
    },
  )

  it('ERR-005 ERR-006 AMB-006 401 clears the token and goes to /login, without a way back', async () => {
    await logIn()
    server.answers('/platform/permission/login', says({ message: '登录已失效' }, 401))
    await loadUser()
    expect(localStorage.getItem('Access-Token')).toBeNull()
    expect(went.mock.calls).toEqual([['/login']])
    expect(error.mock.calls).toEqual([['未授权', '授权验证失败']])
  })
})

describe('logging out', () => {
  const ofSession = ['Access-Token', 'objectId', 'getAgentid', 'agentId', 'cardNo', 'bankMobile', 'roleId', 'accountLevel', 'cashierMode']

  beforeEach(async () => {
    await openWith(2, 2)
    window.location.hash = '/report/wallet-report'
    for (const key of ['cardNo', 'bankMobile']) localStorage.setItem(key, '6222')
  })

  it('SESSION-009 SESSION-018 tells the server, and ends at /login with the way back', async () => {
    await logOut()
    expect(server.paths().at(-1)).toBe('/auth/logout')
    expect(went.mock.calls).toEqual([[`/login?redirect=${encodeURIComponent('/report/wallet-report')}`]])
  })

  it('SESSION-010 SESSION-011 SESSION-012 forgets token, roles and agent of the one who was here', async () => {
    expect(useSession.getState().user).toMatchObject({ token: expect.any(String), agentId: '7', roles: [{ id: '31' }] })
    await logOut()
    const { user, codes: held, isShow } = useSession.getState()
    expect({ user, held, isShow }).toEqual({ user: null, held: null, isShow: false })
    expect(localStorage.getItem('agentId')).toBeNull()
  })

  it('SESSION-013 SESSION-014 SESSION-015 SESSION-016 SESSION-017 STORE-010 leaves the phone, and no other key of the session', async () => {
    // What is forgotten was there.
    expect(ofSession.filter((key) => localStorage.getItem(key) === null)).toEqual([])
    expect(document.cookie).toMatch(/_t=.*_k=|_k=.*_t=/)
    await logOut()
    expect(ofSession.filter((key) => localStorage.getItem(key) !== null)).toEqual([])
    expect(localStorage.getItem('opMan')).toBe(PHONE)
    expect(document.cookie).not.toMatch(/_[tk]=/)
  })

  it('ERR-037 AMB-104 a failing call is shown, and the session ends all the same', async () => {
    server.answers('/auth/logout', says({ suc: false, error: { promot: '注销失败，请稍后再试' } }))
    await logOut()
    expect(error.mock.calls).toEqual([['错误', '注销失败，请稍后再试']])
    expect(isLoggedIn()).toBe(false)
    expect(went).toHaveBeenCalledOnce()
  })

  const underWay = () => {
    const aborted: AbortSignal[] = []
    startJob({
      title: '导出',
      run: ({ signal }) => {
        aborted.push(signal)
        return new Promise(() => {})
      },
    })
    return () => ({ shown: currentJobs().length, aborted: aborted[0]?.aborted })
  }

  it('work under way is cancelled before the server is told, and gone', async () => {
    const now = underWay()
    const told: unknown[] = []
    server.answers('/auth/logout', () => {
      told.push(now())
      return says({ suc: true, data: {} })
    })
    await logOut()
    expect(told).toEqual([{ shown: 0, aborted: true }])
  })

  it('work under way ends with a session that ends elsewhere, and when another person is here, and not with his rights', async () => {
    const kept = underWay()
    await refreshRights()
    expect(kept()).toEqual({ shown: 1, aborted: false })
    await followOut()
    expect(kept()).toEqual({ shown: 0, aborted: true })
    useSession.setState({ user: USER })
    const other = underWay()
    useSession.setState({ user: { ...USER, userId: '901' } })
    expect(other()).toEqual({ shown: 0, aborted: true })
  })

  it('a logout in another tab is followed without asking the server again', async () => {
    const before = server.sent.length
    await followOut()
    expect(server.sent).toHaveLength(before)
    expect(went.mock.calls).toEqual([[`/login?redirect=${encodeURIComponent('/report/wallet-report')}`]])
    expect(useSession.getState().user).toBeNull()
  })
})
