import { describe, expect, it } from 'vitest'
import { bandsFault, billingOf, billingSayings, centsOf, fieldsOf, yuanOf } from './billing'
import { type Billing, changesOf, countingOf, differencesOf, editedOf, type Version } from './config'
import { bodyOf, quantityOf, USUAL_RIDE } from './fare'

const usual: Billing = {
  freeTimeS: 60,
  freeDistanceM: 50,
  baseTimeS: 900,
  baseTimeCents: 250,
  cycleS: 90,
  cycleCents: 5,
  baseDistanceM: 1500,
  baseDistanceCents: 0,
  perKmCents: 100_000,
  dayCapCents: 0,
  discountPercent: 90,
  bands: [{ fromMin: 0, untilMin: 360, percent: 150 }],
  returned: { smallPenaltyCents: 500, largePenaltyCents: 1000, largeDistanceM: 200, noStopCents: 1, noRideCents: 10, outOfServiceCents: 2000, helmetCents: 3000 },
  maxOrderCents: 30_000,
  explain: '说明',
}

describe('a billing and its form', () => {
  it('come out of each other as they went in', () => {
    expect(billingOf(fieldsOf(usual))).toEqual(usual)
  })

  it('amounts are yuan as somebody would type them', () => {
    expect([0, 5, 250, 100_000].map(yuanOf)).toEqual(['0', '0.05', '2.50', '1000'])
    expect(['0', '0.05', '2.5', '1000', '1000.01', '-1', '1.234', 'x', '', undefined].map(centsOf)).toEqual([0, 5, 250, 100_000, null, null, null, null, null, null])
  })

  it('nothing is computed while a field says nothing', () => {
    expect(billingOf({ ...fieldsOf(usual), cycle: '' })).toBeNull()
    expect(billingOf({ ...fieldsOf(usual), bands: [{ fromMin: 60, untilMin: 60, percent: 100 }] })).toBeNull()
    expect(billingOf({})).toBeNull()
  })

  it('bands that meet or run backwards are told', () => {
    const band = (fromMin: number, untilMin: number) => ({ fromMin, untilMin, percent: 120 })
    expect(bandsFault([band(0, 60), band(60, 120)])).toBeNull()
    expect(bandsFault([band(60, 120), band(0, 61)])).toBe('00:00-01:01 与 01:00-02:00 重叠')
    expect(bandsFault([band(1380, 60)])).toBe('23:00-01:00 的结束时间不晚于开始时间；跨午夜请分成两段')
  })
})

describe('versions', () => {
  const version = (dataVersion: number, content: Billing, from: number, until: number | null, withdrawn = false): Version<Billing> => ({
    dataVersion, content, note: '', who: null, fromAt: from, publishedAt: from, withdrawn, counted: withdrawn ? [] : [[from, until]],
  })
  const dearer = { ...usual, cycleCents: 105 }
  const versions = [version(3, usual, 300, null, true), version(2, dearer, 200, null), version(1, usual, 100, 200)]

  it('the one that counts is told, and the default before there was one', () => {
    expect(countingOf({ versions, at_ms: 150 })?.dataVersion).toBe(1)
    expect(countingOf({ versions, at_ms: 250 })?.dataVersion).toBe(2)
    expect(countingOf({ versions, at_ms: 50 })).toBeUndefined()
  })

  it('a form goes on with the draft, else with what was published last and not taken back', () => {
    expect(editedOf({ draft: usual, versions, usual }).cycleCents).toBe(5)
    expect(editedOf({ draft: null, versions, usual }).cycleCents).toBe(105)
    expect(editedOf({ draft: null, versions: [], usual }).cycleCents).toBe(5)
  })

  it('what changed is told field by field', () => {
    expect(differencesOf(billingSayings, usual, dearer)).toEqual([{ label: '每周期', before: '0.05 元', after: '1.05 元' }])
    const changes = changesOf(billingSayings, usual)
    expect(changes(versions[1]!, versions[2])).toHaveLength(1)
    expect(changes(versions[2]!, undefined)).toEqual(['与默认配置相同'])
    expect(changes(versions[2]!, versions[2])).toEqual(['内容与上一版相同'])
  })
})

describe('a ride that is tried', () => {
  // 2026-11-20 10:00 in Shanghai.
  const NOW = 1_795_140_000_000

  it('begins today at its minute and is sent in metres and milliseconds', () => {
    const body = bodyOf('7', usual, { ...USUAL_RIDE, startMin: 0, long: 2.5, km: 1.25 }, NOW)
    expect(body).toMatchObject({ opAreaId: '7', startTime: NOW - 10 * 3_600_000, endTime: NOW - 10 * 3_600_000 + 150_000, distance: 1250, left: 0 })
    expect(body).not.toHaveProperty('card')
    expect(body).not.toHaveProperty('parkingM')
  })

  it('a card is sent in its own unit, a distance only of one left outside', () => {
    const ride = { ...USUAL_RIDE, left: 1 as const, parkingM: 90, card: 3 as const, cardValue: 1.5, discount: 80 }
    expect(bodyOf('7', usual, ride, NOW)).toMatchObject({ parkingM: 90, card: { kind: 3, value: 150 }, discountPercent: 80 })
  })

  it('lines say of how much they are', () => {
    expect([quantityOf(2, 900), quantityOf(3, 2), quantityOf(5, 3100), quantityOf(20, 90), quantityOf(24, 0)]).toEqual(['含 15 分钟', '2 个周期', '3,100 米', '离站点 90 米', ''])
  })
})
