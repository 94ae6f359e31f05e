import { describe, expect, it } from 'vitest'
import { type Area, CLOSED, closeFault, handOverFault, OPEN, openChecks, openFault, PLANNED, stopFault, SUSPENDED, TEL } from './area'
import { areaList } from './description'
import { openConsequence } from './useAreaActs'
import { textOf } from '@/kit/list/cells'

const area: Area = {
  id: '20',
  name: '湖滨',
  agentId: '2',
  company: '鹭岛出行',
  tel: '0592-1234567',
  vehicleCount: 0,
  parkingCount: 3,
  state: OPEN,
  notice: '',
  cityCode: '',
  vehicleQuota: null,
  supervisionIds: [],
  takesApplications: true,
  stopBeginAt: null,
  stopEndAt: null,
  stopNotice: '',
  createdAt: 0,
  updatedAt: 0,
  version: 4,
}

describe('what may be done with an area', () => {
  it('opens with a telephone and, the first time, a parking place', () => {
    expect(openFault({ ...area, state: PLANNED })).toBeNull()
    expect(openFault({ ...area, state: PLANNED, parkingCount: 0 })).toMatch(/停车区/)
    expect(openFault({ ...area, state: SUSPENDED, parkingCount: 0 })).toBeNull()
    expect(openFault({ ...area, state: PLANNED, tel: ' ' })).toMatch(/客服电话/)
    expect(openFault({ ...area, state: CLOSED })).toMatch(/关停/)
  })
  it('shows each condition of an opening with what to do', () => {
    expect(openChecks({ tel: '', parkingCount: 2 }).map(({ label, met }) => [label, met])).toEqual([['客服电话', false], ['停车区', true]])
  })
  it('stops for a minute at least, from now on when its beginning is past', () => {
    const now = 1_800_000_000_000
    expect(stopFault(null, null, now)).toBeNull()
    expect(stopFault(now - 3_600_000, now + 60_000, now)).toBeNull()
    expect(stopFault(now + 3_600_000, now + 3_600_000, now)).toMatch(/至少一分钟/)
    expect(stopFault(null, now, now)).not.toBeNull()
  })
  it('is handed over only when nothing in it is the old agent’s', () => {
    expect(handOverFault(area)).toBeNull()
    expect(handOverFault({ ...area, vehicleCount: 3, fenceCount: 2, franchiseeCount: 1 })).toBe(
      '还有 3 辆车、2 个围栏、1 个加盟商 归原代理所有，清空后才能移交',
    )
    expect(handOverFault({ ...area, state: CLOSED })).not.toBeNull()
  })
  it('closes only without bikes on its streets, after it was open', () => {
    expect(closeFault({ ...area, vehicleCount: 9, shelvedCount: 0 })).toBeNull()
    expect(closeFault({ ...area, shelvedCount: 9 })).toMatch(/9 辆/)
    expect(closeFault({ ...area, state: PLANNED })).not.toBeNull()
  })
  it('says whom an opening concerns', () => {
    expect(openConsequence({ state: SUSPENDED, vehicleCount: 1200 })).toBe('停运公告撤下，区内 1,200 辆车立即恢复可租。')
    expect(openConsequence({ state: PLANNED, vehicleCount: 0 })).toMatch(/立即可以被骑行用户租用/)
  })
})

it('a telephone holds digits and what stands between them', () => {
  for (const good of ['0592-1234567', '+86 592 1234567', '400 (800) 1234', '10086']) expect(good).toMatch(TEL)
  for (const bad of ['1008', '-----', '打给小王', '0592-1234567890123456']) expect(bad).not.toMatch(TEL)
})

it('the list exports states in words', () => {
  const row = Object.fromEntries(areaList([]).columns.map((column) => [column.key, textOf(column, { ...area, state: SUSPENDED })]))
  expect(row).toMatchObject({ state: '暂停服务', company: '鹭岛出行', notice: '--', vehicleCount: '0' })
})
