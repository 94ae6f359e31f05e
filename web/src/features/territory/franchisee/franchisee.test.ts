import { describe, expect, it } from 'vitest'
import { franchiseeList } from './description'
import { COOPERATING, endNotice, EXPIRED, formatRatio, type Franchisee, parseRatio } from './franchisee'
import { valuesOf } from './FranchiseeForm'
import { licenseFault } from '@/kit/license'
import { signConsequence } from './useFranchiseeActs'
import { textOf } from '@/kit/list/cells'

const franchisee: Franchisee = {
  id: '7',
  agentId: '2',
  agentCompany: '鹭岛出行',
  company: '湖滨出行有限公司',
  licenseNo: '91350200MA31C0001Y',
  contact: '陈*',
  phone: '139****0001',
  legalPerson: '陈**',
  serviceAreaIds: ['20', '21'],
  serviceAreas: [{ id: '20', name: '湖滨', agentId: '2' }],
  joinedAt: '2026-06-01',
  contractEnd: '2026-12-31',
  vehicleCount: 12_345,
  depositPaid: 5_000_000,
  divideRatioBp: 3050,
  state: COOPERATING,
  remark: '',
  endedReason: '',
  createdAt: 0,
  updatedAt: 0,
  version: 3,
}

describe('a unified social credit code', () => {
  it('passes when its check character is right, whatever the case', () => {
    for (const code of ['91350100M000100Y43', '91350200MA31C0001Y', '91350200ma31c00022', ' 91350200MA31C000N0 ']) {
      expect(licenseFault(code)).toBeNull()
    }
  })
  it('a slip of the pen and a wrong shape are told apart', () => {
    expect(licenseFault('91350100M000100Y34')).toMatch(/校验位/)
    expect(licenseFault('93150100M000100Y43')).toMatch(/校验位/)
    expect(licenseFault('9135O100M000100Y43')).toMatch(/18 位/)
    expect(licenseFault('91350100M000100Y4')).toMatch(/18 位/)
  })
})

describe('a share', () => {
  it('reads as percent and is kept in ten-thousandths, without floating point', () => {
    expect(formatRatio(3050)).toBe('30.5%')
    expect(formatRatio(10_000)).toBe('100%')
    expect(formatRatio(7)).toBe('0.07%')
    expect(formatRatio(0)).toBe('--')
    expect(parseRatio('30.5')).toBe(3050)
    expect(parseRatio('0.29')).toBe(29)
    expect(parseRatio('100')).toBe(10_000)
    expect(parseRatio('100.01')).toBeNull()
    expect(parseRatio('1.234')).toBeNull()
    expect(parseRatio('-1')).toBeNull()
  })
})

describe('the end of a contract', () => {
  // 2026-12-31 00:30 in Shanghai, still the 30th in London.
  const now = Date.UTC(2026, 11, 30, 16, 30)
  it('is announced in its last thirty days and only while it runs', () => {
    expect(endNotice(franchisee, now)).toBe('今天到期')
    expect(endNotice({ ...franchisee, contractEnd: '2027-01-30' }, now)).toBe('剩 30 天')
    expect(endNotice({ ...franchisee, contractEnd: '2027-01-31' }, now)).toBeNull()
    expect(endNotice({ ...franchisee, state: EXPIRED }, now)).toBeNull()
  })
})

describe('what is sent', () => {
  const fields = {
    company: '湖滨出行',
    licenseNo: '91350200ma31c0001y',
    serviceAreaIds: ['20'],
    joinedAt: '2026-06-01',
    contractEnd: '',
    deposit: '50000.5',
    ratio: '30.5',
    remark: '',
  }
  it('is money in cents and days as text; names and phone only when written anew', () => {
    expect(valuesOf({ ...fields, contact: '', phone: '' })).toEqual({
      company: '湖滨出行',
      licenseNo: '91350200MA31C0001Y',
      serviceAreaIds: ['20'],
      joinedAt: '2026-06-01',
      contractEnd: '',
      depositPaid: 5_000_050,
      divideRatioBp: 3050,
      remark: '',
    })
    expect(valuesOf({ ...fields, phone: '13900000002' })).toMatchObject({ phone: '13900000002' })
  })
})

describe('the list', () => {
  it('exports what it shows, masked', () => {
    const row = Object.fromEntries(franchiseeList.columns.map((column) => [column.key, textOf(column, franchisee)]))
    expect(row).toMatchObject({ state: '合作中', phone: '139****0001', ratio: '30.5%', deposit: '50,000.00', vehicleCount: '12,345' })
  })
  it('a signature names its share, its end and its areas', () => {
    expect(signConsequence(franchisee)).toMatch(/30\.5%.*2026-12-31.*湖滨/)
  })
})
