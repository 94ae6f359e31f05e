import { beforeEach, describe, expect, it } from 'vitest'
import { toBase64Url, utf8 } from '@/api/bytes'
import { noteSeen, saveSignature, seenPosition, signedUntil } from '@/api/storage'
import { announceAfterReload, takeAnnouncement } from './announce'
import { derivedValues, needsRenewal, readClaims } from './claims'
import { secondsLeft } from './countdown'
import { deviceCode, deviceName } from './device'
import { gateFinancial, showsAccount, storedNumber } from './permission'
import { quickLoginPhone } from './quickLogin'
import { firstSelection, selectionLabel, selectionToStore } from './selection'
import { clearSession, isLoggedIn, storeAccount, storedAccount, storeToken } from './stored'
import { codeInput, loginWarning, sendWarning } from './validation'

const claims = {
  agentIds: ['7', '8'],
  opAreaIds: ['21', '22'],
  userId: '900',
  phone: '13812345678',
  agentId: '7',
  build: 'b',
  devId: 'd',
  package: 'p',
  exp: 2_000_000,
  sid: 's',
  pv: '1',
}
const tokenOf = (content: unknown) => `head.${toBase64Url(utf8(JSON.stringify(content)))}.signature`

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  clearSession()
})

describe('what is derived from the token', () => {
  it('STORE-001 STORE-002 STORE-003 STORE-008 areas and agents become lists, the first area the current one', () => {
    const values = derivedValues(claims)
    expect(values.opAreaIds).toBe('21,22')
    expect(values.opAreaIdsBigScreen).toBe('21,22')
    expect(values.agentIds).toBe('7,8')
    expect(values.currentServiceId).toBe('21')
    expect(derivedValues({ ...claims, opAreaIds: [] }).currentServiceId).toBe('')
  })

  it('STORE-004 STORE-005 STORE-006 STORE-007 ids and phone lie beside the token', () => {
    storeToken(tokenOf(claims))
    expect(localStorage.getItem('userId')).toBe('900')
    expect(localStorage.getItem('agentId')).toBe('7')
    expect(localStorage.getItem('phone')).toBe('13812345678')
    expect(localStorage.getItem('xcUid')).toBe('900')
    expect(localStorage.getItem('Access-Token')).toBe(tokenOf(claims))
  })

  it('what is no token has no claims', () => {
    expect(readClaims('')).toBeNull()
    expect(readClaims('a.!.b')).toBeNull()
  })

  it('AMB-103 renewal is due when less than twelve hours are left of either', () => {
    const hour = 3_600_000
    expect(needsRenewal(0, (13 * hour) / 1000, 13 * hour)).toBe(false)
    expect(needsRenewal(0, (11 * hour) / 1000, 13 * hour)).toBe(true)
    expect(needsRenewal(0, (13 * hour) / 1000, 11 * hour)).toBe(true)
  })
})

describe('the session', () => {
  it('SESSION-001 SESSION-002 SESSION-003 SESSION-004 needs token, objectId and cookie, all three', () => {
    const build = () => {
      storeToken(tokenOf(claims))
      localStorage.setItem('objectId', '900')
      saveSignature({ _t: 't', _k: 'k' }, 1000)
    }
    build()
    expect(isLoggedIn()).toBe(true)
    localStorage.removeItem('Access-Token')
    expect(isLoggedIn()).toBe(false)
    build()
    localStorage.removeItem('objectId')
    expect(isLoggedIn()).toBe(false)
    build()
    document.cookie = '_t=; Max-Age=0; Path=/'
    expect(isLoggedIn()).toBe(false)
  })

  it('SESSION-010 SESSION-013 SESSION-014 SESSION-015 SESSION-016 SESSION-017 AMB-104 clearing leaves the phone and nothing else', () => {
    const keys = ['Access-Token', 'objectId', 'getAgentid', 'cardNo', 'bankMobile', 'roleId', 'cashierMode']
    const accounts = ['accountLevel', 'authStatus', 'accountId', 'customerName', 'accountStatus']
    for (const key of [...keys, ...accounts, 'opMan']) localStorage.setItem(key, '1')
    saveSignature({ _t: 't', _k: 'k' }, 1000)
    clearSession()
    for (const key of [...keys, ...accounts]) expect(localStorage.getItem(key), key).toBeNull()
    expect(localStorage.getItem('opMan')).toBe('1')
    expect(document.cookie).not.toContain('_t=')
  })

  it('the signature lasts two days', () => {
    saveSignature({ _t: 't', _k: 'k' }, 1000)
    expect(signedUntil()).toBe(1000 + 172_800_000)
  })

  it('STORE-015 STORE-016 STORE-018 STORE-019 account info is stored, null leaves nothing', () => {
    storeAccount({ id: '5', accountLevel: 1, authStatus: 3, status: 2, name: '商户' })
    expect(localStorage.getItem('accountId')).toBe('5')
    expect(localStorage.getItem('authStatus')).toBe('3')
    expect(localStorage.getItem('customerName')).toBe('商户')
    expect(storedAccount()).toEqual({ status: 2, level: 1 })
    storeAccount(null)
    expect(storedAccount()).toEqual({ status: null, level: null })
  })

  it('AMB-107 the welcome is shown once', () => {
    announceAfterReload({ welcome: true, warning: null }, 1)
    // Not by the page that is about to go.
    expect(takeAnnouncement(1)).toBeNull()
    expect(takeAnnouncement(2)).toEqual({ welcome: true, warning: null })
    expect(takeAnnouncement(3)).toBeNull()
  })

  it('the highest position seen is kept, whatever comes later', () => {
    noteSeen('900719925474099300')
    noteSeen('12')
    noteSeen(null)
    noteSeen('nonsense')
    expect(seenPosition()).toBe('900719925474099300')
  })
})

describe('permissions', () => {
  const financial = ['financial', 'financial_01', 'financial_02', 'financial_03', 'financial_04', 'FinancialReconciliation']
  it('AMB-046 a status other than 2 leaves two financial codes', () => {
    const left = ['financial', 'financial_02', 'FinancialReconciliation']
    expect(gateFinancial(financial, { status: 1, level: 2 })).toEqual(left)
    expect(gateFinancial(financial, { status: null, level: 1 })).toEqual(left)
  })

  it('AMB-046 level 1 with status 2 loses bills and objections', () => {
    expect(gateFinancial(financial, { status: 2, level: 1 })).not.toContain('financial_03')
    expect(gateFinancial(financial, { status: 2, level: 1 })).toContain('financial_01')
    expect(gateFinancial(financial, { status: 2, level: 2 })).toEqual(financial)
  })

  it('AMB-045 what is not stored is unknown, not 2', () => {
    expect(storedNumber(null)).toBeNull()
    expect(storedNumber('null')).toBeNull()
    expect(storedNumber('2')).toBe(2)
  })

  it('AMB-043 payment entries show for an open account with cashier', () => {
    expect(showsAccount({ status: 2, level: 1 }, '1')).toBe(true)
    expect(showsAccount({ status: 2, level: 1 }, '0')).toBe(false)
    expect(showsAccount({ status: 2, level: null }, '1')).toBe(false)
    expect(showsAccount({ status: 1, level: 1 }, '1')).toBe(false)
  })
})

describe('selection', () => {
  it('SEL-001 SEL-002 SEL-004 all means nothing stored, otherwise the ids', () => {
    expect(selectionToStore(['1', '2'], ['1', '2'])).toEqual([])
    expect(selectionToStore(['2'], ['1', '2'])).toEqual(['2'])
  })

  it('SEL-003 a cleared selection reads 全选', () => {
    expect(selectionLabel([])).toBe('全选')
    expect(selectionLabel(['1', '2'])).toBe('2')
  })

  it('SEL-006 SEL-007 fewer areas than there are become the selection, all of them do not', () => {
    expect(firstSelection(['1', '2'], 5)).toEqual(['1', '2'])
    expect(firstSelection(['1', '2'], 2)).toEqual([])
  })
})

describe('validation', () => {
  it('VAL-001 VAL-002 sending asks for eleven characters', () => {
    expect(sendWarning('')).toBe('无效的手机号码')
    expect(sendWarning('1381234567')).toBe('无效的手机号码')
  })

  it('VAL-003 sending does not ask for the pattern', () => {
    expect(sendWarning('abcdefghijk')).toBeNull()
  })

  it('VAL-005 a phone that is none is refused at login', () => {
    for (const phone of ['12012345678', '1381234567a', '138123456789', '']) {
      expect(loginWarning(phone, '123456')).toBe('手机号格式不正确')
    }
  })

  it('VAL-006 a mobile phone passes', () => {
    expect(loginWarning('13012345678', '123456')).toBeNull()
    expect(loginWarning('19912345678', '123456')).toBeNull()
  })

  it('VAL-007 VAL-008 a code has six characters', () => {
    expect(loginWarning('13012345678', '')).toBe('无效的验证码')
    expect(loginWarning('13012345678', '12345')).toBe('无效的验证码')
  })

  it('VAL-009 VAL-010 VAL-011 anything but digits empties the code field', () => {
    expect(codeInput('123')).toEqual({ value: '123', warning: null })
    expect(codeInput('12a')).toEqual({ value: '', warning: '请输入数字' })
    expect(codeInput('')).toEqual({ value: '', warning: null })
  })

  it('SMS-004 SMS-006 the countdown runs from 60 to 0', () => {
    expect(secondsLeft(1000, 1000, 60)).toBe(60)
    expect(secondsLeft(1000, 2000, 60)).toBe(59)
    expect(secondsLeft(1000, 61_000, 60)).toBe(0)
    expect(secondsLeft(1000, 90_000, 60)).toBe(0)
  })
})

describe('quick login', () => {
  const origin = (content: unknown) => `${toBase64Url(utf8(JSON.stringify(content)))}.signature`
  it('AMB-024 a link is good for less than sixty seconds', () => {
    expect(quickLoginPhone(origin({ phone: '13812345678', ts: 0 }), 59_999)).toBe('13812345678')
    expect(quickLoginPhone(origin({ phone: '13812345678', ts: 0 }), 60_000)).toBeNull()
    expect(quickLoginPhone(origin({ phone: '13812345678', ts: 5_001 }), 0)).toBeNull()
    expect(quickLoginPhone(origin({ phone: '13812345678' }), 0)).toBeNull()
    expect(quickLoginPhone('nonsense', 0)).toBeNull()
  })
})

describe('device', () => {
  it('AMB-027 the code is made once', () => {
    expect(deviceCode()).toBe(deviceCode())
  })

  it('the name says browser and system', () => {
    expect(deviceName('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36 Edg/120.0')).toBe('Edge 120 · Windows')
    expect(deviceName('curl')).toBe('浏览器 · 未知系统')
  })
})
