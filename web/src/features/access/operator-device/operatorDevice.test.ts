import { describe, expect, it } from 'vitest'
import { BOUND, inOrder, kindText, type OperatorDevice, REMOVED, waiting, WAITING } from './operatorDevice'
import { removalConsequence } from './useOperatorDeviceActs'

const device = (id: string, state: number, requestedAt: number): OperatorDevice => ({
  id,
  state,
  requestedAt,
  lastLoginAt: null,
  updatedAt: requestedAt,
  mobilePhoneNumber: '138****5678',
  operatorName: '王小明',
  device_code: id,
  device_name: 'Chrome 120 · Windows',
  device_type: 1,
  login_address: '10.0.0.1',
})

describe('devices', () => {
  const devices = [device('a', REMOVED, 9), device('b', BOUND, 5), device('c', WAITING, 7), device('d', WAITING, 3)]

  it('those that wait come first, then those in use', () => {
    expect(inOrder(devices).map(({ id }) => id)).toEqual(['c', 'd', 'b', 'a'])
  })

  it('the pending list holds only those that wait, the longest waiting first', () => {
    expect(waiting(devices).map(({ id }) => id)).toEqual(['d', 'c'])
  })

  it('taking away the own device says that one is signed out', () => {
    expect(removalConsequence(device('b', BOUND, 5), true)).toContain('您会立即退出登录')
    expect(removalConsequence(device('b', BOUND, 5), false)).toContain('登录马上结束')
    expect(removalConsequence(device('c', WAITING, 5), false)).toContain('不能登录')
  })

  it('kinds read in words', () => {
    expect([1, 2, 3, 9].map(kindText)).toEqual(['浏览器', '安卓', '苹果', '--'])
  })
})
