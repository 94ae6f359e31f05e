import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lost, PHONE, says, type Server, startServer, TOKEN } from '@/api/server.fixture'
import { takeAnnouncement } from './announce'
import { login, LoginFailure, type Proof, requestCode } from './loginFlow'
import { clearSession, isLoggedIn } from './stored'

const sms: Proof = { kind: 'sms', code: '135790' }
const verified = vi.fn<() => void>()
const logIn = (proof: Proof = sms) => login(PHONE, proof, { verified })

/** The words of a login that fails. */
async function failure(proof: Proof = sms): Promise<LoginFailure> {
  const error: unknown = await logIn(proof).catch((thrown: unknown) => thrown)
  if (!(error instanceof LoginFailure)) throw new Error('the login did not fail')
  return error
}

const DEVICE = '/mieba/platform/opman/device/verification'
const LOGIN = '/platform/permission/login'
const ACCOUNT = '/Pay/customer/getAccountInfo'
const accountKeys = ['accountLevel', 'authStatus', 'accountId', 'customerName', 'accountStatus']
const stored = (keys: string[]) => keys.map((key) => localStorage.getItem(key))

let server: Server
beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  clearSession()
  verified.mockClear()
  server = startServer()
})
afterEach(() => vi.unstubAllGlobals())

describe('the steps of a login', () => {
  it('FLOW-002 FLOW-003 FLOW-004 FLOW-005 FLOW-007 come in their order', async () => {
    await logIn()
    expect(server.paths()).toEqual([
      DEVICE,
      '/auth/publicKey',
      '/auth/verifySign',
      '/auth/sms/verify',
      '/auth/login/phone',
      LOGIN,
      '/platform/agent/byApiKey',
      '/platform/agent/billingWay',
      ACCOUNT,
    ])
    expect(server.sent[0]?.content).toMatchObject({ device_type: 1, mobilePhoneNumber: PHONE })
    expect(server.sent[3]?.content).toEqual({ mobilePhoneNumber: PHONE, smsCode: '135790' })
    expect(server.sent[5]?.content).toEqual({ opManId: PHONE })
  })

  it('FLOW-006 STORE-009 STORE-010 STORE-011 STORE-012 STORE-017 the session is stored under the keys of the specification', async () => {
    server.answers('/auth/sms/verify', says({ objectId: '901' }))
    await logIn()
    expect(isLoggedIn()).toBe(true)
    expect(localStorage.getItem('Access-Token')).toBe(TOKEN)
    expect(localStorage.getItem('roleId')).toBe('31')
    expect(localStorage.getItem('opMan')).toBe(PHONE)
    expect(localStorage.getItem('getAgentid')).toBe('7')
    // The id that the code was answered with, which is none of the token's.
    expect(localStorage.getItem('objectId')).toBe('901')
    expect(localStorage.getItem('userId')).toBe('900')
    expect(stored(accountKeys)).toEqual(['2', '3', '5', '某商户', '2'])
  })

  it('FLOW-008 the billing way is kept as cashierMode', async () => {
    server.answers('/platform/agent/billingWay', says({ suc: true, data: { billingWay: 0 } }))
    await logIn()
    expect(localStorage.getItem('cashierMode')).toBe('0')
  })

  it('ERR-018 the right code is told of at once', async () => {
    server.answers('/auth/login/phone', lost)
    await failure()
    expect(verified).toHaveBeenCalledOnce()
  })

  it('ERR-020 the welcome is kept for after the reload', async () => {
    await logIn()
    expect(takeAnnouncement(0)).toEqual({ welcome: true, warning: null })
  })

  it('AMB-025 a link takes objectId from the lookup, without a code', async () => {
    server.answers('/auth/sms/user', says({ objectId: '902' }))
    await logIn({ kind: 'origin', origin: 'a.b' })
    expect(server.paths()).not.toContain('/auth/sms/verify')
    expect(server.paths().slice(3, 6)).toEqual(['/auth/login/authorized', '/auth/sms/user', LOGIN])
    expect(localStorage.getItem('objectId')).toBe('902')
  })
})

describe('a step that fails', () => {
  const steps = [DEVICE, '/auth/publicKey', '/auth/verifySign', '/auth/sms/verify', '/auth/login/phone', LOGIN]
  const surroundings = ['/platform/agent/byApiKey', '/platform/agent/billingWay']

  it.each([...steps, ...surroundings])('FLOW-009 %s stops the flow, and nothing of a session is left', async (path) => {
    server.answers(path, lost)
    await failure()
    expect(server.paths().at(-1)).toBe(path)
    expect(isLoggedIn()).toBe(false)
    expect(stored(['Access-Token', 'objectId', 'roleId', 'getAgentid'])).toEqual([null, null, null, null])
    expect(document.cookie).not.toContain('_t=')
  })

  it('ERR-019 the server says what is wrong with a code', async () => {
    server.answers('/auth/sms/verify', says({ error: '验证码错误或已失效' }))
    expect((await failure()).text).toBe('验证码错误或已失效')
    expect(verified).not.toHaveBeenCalled()
  })

  it('ERR-021 error.promot of a refused login is shown', async () => {
    server.answers(LOGIN, says({ suc: false, error: { promot: '账号已停用，请联系管理员' } }))
    expect((await failure()).text).toBe('账号已停用，请联系管理员')
  })

  it('ERR-022 a refusal without words is 登录失败', async () => {
    server.answers(LOGIN, says({ suc: false }))
    expect((await failure()).text).toBe('登录失败')
  })

  it('ERR-023 a login without an answer is 登录异常', async () => {
    server.answers(LOGIN, lost)
    expect((await failure()).text).toBe('登录异常')
  })

  it('ERR-024 a refused device shows the words of the server', async () => {
    server.answers(DEVICE, says({ suc: false, error: { promt: '设备数量已满' } }))
    expect(await failure()).toMatchObject({ text: '设备数量已满', obstacle: 'device' })
  })

  it('ERR-025 a refused device without words has its own', async () => {
    server.answers(DEVICE, says({ suc: false }))
    expect(await failure()).toMatchObject({ text: '当前设备未授权，请联系管理员', obstacle: 'device' })
  })

  it('ERR-026 a device call without an answer asks for the network', async () => {
    server.answers(DEVICE, lost)
    expect(await failure()).toMatchObject({ text: '设备授权失败，请检查网络', obstacle: 'other' })
  })

  it('a device that is refused at the login itself is the same obstacle', async () => {
    server.answers(LOGIN, says({ suc: false, error: { code: 'device-not-authorised', promot: '当前设备未授权，请联系管理员' } }))
    expect(await failure()).toMatchObject({ obstacle: 'device' })
  })

  it('ERR-027 no key is 获取签名失败', async () => {
    server.answers('/auth/verifySign', says({ suc: false, error: { promot: '密钥已更新' } }))
    expect((await failure()).text).toBe('获取签名失败')
  })

  it('QUICK-007 a link that the server refuses lets nobody in', async () => {
    server.answers('/auth/login/authorized', says({ suc: false, error: { code: 'link-expired', promot: '登录链接已失效' } }))
    expect(await failure({ kind: 'origin', origin: 'a.b' })).toMatchObject({ text: '登录链接已失效', obstacle: 'link' })
    expect(isLoggedIn()).toBe(false)
  })
})

describe('what may be missing', () => {
  it('ERR-028 no agent is told of, and keeps nobody out', async () => {
    for (const nothing of [says({ suc: true, data: null }), says({ suc: false, error: { promot: '没有代理商' } })]) {
      server.answers('/platform/agent/byApiKey', nothing)
      await logIn()
      expect(takeAnnouncement(0)?.warning).toBe('未获取到代理商信息')
      expect(isLoggedIn()).toBe(true)
    }
  })

  it.each([{ msg: '' }, { msg: null }, {}])('ERR-008 account info refused with %o is 开户信息获取失败, and keeps nobody out', async (words) => {
    server.answers(ACCOUNT, says({ success: false, data: null, ...words }))
    await logIn()
    expect(takeAnnouncement(0)).toEqual({ welcome: true, warning: '开户信息获取失败' })
    expect(isLoggedIn()).toBe(true)
  })

  it('ERR-009 account info refused with words shows them', async () => {
    server.answers(ACCOUNT, says({ success: false, data: null, msg: '账户审核中' }))
    await logIn()
    expect(takeAnnouncement(0)?.warning).toBe('账户审核中')
  })

  it.each([['no answer', lost], ['a broken server', says({ message: '' }, 500)]] as const)(
    'ERR-010 AMB-065 account info with %s clears what was stored of the account',
    async (_what, answer) => {
      for (const key of accountKeys) localStorage.setItem(key, '1')
      server.answers(ACCOUNT, answer)
      await logIn()
      expect(stored(accountKeys)).toEqual([null, null, null, null, null])
      expect(takeAnnouncement(0)?.warning).toBe('开户信息获取失败')
      expect(isLoggedIn()).toBe(true)
    },
  )

  it('AMB-065 account info that is refused leaves what was stored', async () => {
    for (const key of accountKeys) localStorage.setItem(key, '1')
    server.answers(ACCOUNT, says({ success: false, data: null, msg: '账户审核中' }))
    await logIn()
    expect(stored(accountKeys)).toEqual(['1', '1', '1', '1', '1'])
  })
})

describe('asking for a code', () => {
  const asked = () => requestCode(PHONE).then(
    () => 'sent',
    (error: unknown) => (error instanceof LoginFailure ? error.text : 'thrown'),
  )

  it('the code is for this device, which the login names by the same id', async () => {
    expect(await asked()).toBe('sent')
    const sent = server.sent[0]?.content
    expect(sent).toEqual({ mobilePhoneNumber: PHONE, deviceCode: expect.stringMatching(/./) })
    const { deviceCode } = sent as { deviceCode: string }
    await logIn()
    const named = server.sent.find(({ path }) => path.endsWith(DEVICE))
    expect(named?.content).toMatchObject({ device_code: deviceCode })
  })

  it('ERR-013 a failure without words is 短信发送次数超限', async () => {
    server.answers('/auth/sms/code', says({ suc: false }))
    expect(await asked()).toBe('短信发送次数超限')
  })

  it('ERR-014 the words of the server are shown as they are', async () => {
    server.answers('/auth/sms/code', says({ error: '该号码今日已达上限' }))
    expect(await asked()).toBe('该号码今日已达上限')
  })

  it('without an answer the network is to blame', async () => {
    server.answers('/auth/sms/code', lost)
    expect(await asked()).toBe('网络出现问题，请稍后再试')
  })
})
