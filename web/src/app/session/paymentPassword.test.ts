import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { hosts } from '@/api/hosts'
import { says, type Server, startServer, TOKEN } from '@/api/server.fixture'
import { clearSignature, saveSignature } from '@/api/storage'
import { plugNotifier } from '../notify'
import { openableUrl, openPaymentPassword, paymentCallType } from './paymentPassword'
import { storeAccount } from './stored'

const CALL = '/Pay/customer/modifyPwd'
const error = vi.fn<(title: string, description: string) => void>()
const tab = { opener: {}, location: { replace: vi.fn<(url: string) => void>() }, close: vi.fn<() => void>() }

let server: Server
beforeEach(() => {
  localStorage.setItem('Access-Token', TOKEN)
  saveSignature({ _t: 't', _k: toBase64Url(randomBytes(32)) }, Date.now())
  server = startServer()
  vi.stubGlobal('open', () => tab)
  plugNotifier({ error, success: () => {} })
})
afterEach(() => {
  plugNotifier(null)
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  clearSignature()
  localStorage.clear()
})

describe('payment password', () => {
  /** What is asked of the server to change a password, and then to reset it. */
  const asked = async () => {
    server.answers(CALL, says({ success: true, data: { redirectUrl: 'https://pay.example/a' }, msg: '' }))
    await openPaymentPassword('change')
    await openPaymentPassword('reset')
    return server.sent.map((sent) => sent.content)
  }

  it.each([0, 1] as const)('PERM-014 an account of type %s asks with B', async (accountType) => {
    storeAccount({ id: '5', accountType })
    expect(await asked()).toEqual([{ callType: 'B_MODIFY' }, { callType: 'B_FORGET' }])
  })

  it('what is stored as nothing is no type', () => {
    for (const none of ['', 'null']) expect(paymentCallType('change', none)).toBe('MODIFY')
  })

  it('PERM-015 PERM-016 without a type, to change asks to modify, to reset tells that it was forgotten', async () => {
    storeAccount({ id: '5', accountType: null })
    expect(await asked()).toEqual([{ callType: 'MODIFY' }, { callType: 'FORGET' }])
    expect(tab.location.replace.mock.calls).toEqual([['https://pay.example/a'], ['https://pay.example/a']])
    expect(tab.opener).toBeNull()
  })

  it('AMB-047 only http and https are opened', () => {
    expect(openableUrl('https://pay.example/a')).toBe('https://pay.example/a')
    // oxlint-disable-next-line no-script-url -- what must not be opened
    for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'pay.example', '', null, 7]) expect(openableUrl(bad)).toBeNull()
  })

  it('a path is one of the host that was asked, and cannot lead to another', () => {
    const path = '/ebike/v3/backend/stand-in/pay-password?ticket=a.b'
    expect(openableUrl(path)).toBe(new URL(path, window.location.href).href)
    hosts.financial = 'https://pay.example'
    expect(openableUrl(path)).toBe(`https://pay.example${path}`)
    hosts.financial = ''
    for (const other of ['//other.example', '/\\other.example']) expect(openableUrl(other)).toBeNull()
  })

  it('a refusal closes the tab and shows the words', async () => {
    server.answers(CALL, says({ success: false, data: null, msg: '账户未开通' }))
    await openPaymentPassword('change')
    expect(tab.close).toHaveBeenCalledOnce()
    expect(error.mock.calls).toEqual([['错误', '账户未开通']])
  })

  it('a blocked tab says what to allow, and asks the server nothing', async () => {
    vi.stubGlobal('open', () => null)
    await openPaymentPassword('reset')
    expect(server.sent).toEqual([])
    expect(error).toHaveBeenCalledOnce()
  })
})
