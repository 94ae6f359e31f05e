import { describe, expect, it } from 'vitest'
import { httpError, unwrap } from './envelope'
import { Refusal } from './failures'
import { isPlain, place } from './hosts'
import { cookieIn } from './storage'

describe('envelopes', () => {
  it('the data of both hosts is taken out', () => {
    expect(unwrap({ suc: true, data: [1] })).toEqual([1])
    expect(unwrap({ success: true, data: null, msg: '' })).toBeNull()
  })

  it('an answer without an envelope is its own data', () => {
    expect(unwrap({ objectId: '9' })).toEqual({ objectId: '9' })
    expect(unwrap({})).toEqual({})
  })

  it('a refusal keeps its words, whichever way they are spelled', () => {
    const refusals = [
      { suc: false, error: { code: 'x', promot: '不行' } },
      { suc: false, error: { code: 'x', promt: '不行' } },
      { success: false, data: null, msg: '不行' },
      { error: '不行' },
    ]
    for (const body of refusals) {
      expect(() => unwrap(body)).toThrow(Refusal)
      expect(() => unwrap(body)).toThrow('不行')
    }
  })

  it('ERR-403 the message of the server comes first, error.promot second', () => {
    expect(httpError(403, { message: '没有权限', suc: false, error: { promot: '其他' } }).text).toBe('没有权限')
    expect(httpError(403, { suc: false, error: { promot: '没有权限' } }).text).toBe('没有权限')
    expect(httpError(500, null).text).toBe('')
  })
})

describe('hosts', () => {
  it('a path belongs to the main, the financial or the device host', () => {
    expect(place('/auth/token')).toEqual({ host: 'main', sent: '/ebike/v3/backend/auth/token' })
    expect(place('/Pay/customer/list')).toEqual({ host: 'financial', sent: '/Pay/customer/list' })
    expect(place('/mieba/v2/platform/opman/device/permission').host).toBe('device')
  })

  it('only calls made before there is a key go unwrapped', () => {
    expect(isPlain('/ebike/v3/backend/auth/sms/code')).toBe(true)
    expect(isPlain('/ebike/v3/backend/auth/sms/verify')).toBe(false)
    expect(isPlain('/ebike/v3/backend/platform/permission/role')).toBe(false)
  })
})

describe('cookies', () => {
  it('a cookie is found by its whole name', () => {
    expect(cookieIn('x_t=1; _t=a%3Db; _k=c', '_t')).toBe('a=b')
    expect(cookieIn('x_t=1', '_t')).toBeNull()
  })
})
