import { describe, expect, it } from 'vitest'
import { saidOf } from '@/kit/versions/versions'
import { bodyOf, changesOf, madeText, timeText } from './batches'
import { changeOf, changeWords, isNothing, NOTHING } from './change'

const NOW = 1_790_000_000_000
const parking = { capacity: 20, minKeep: 0, bufferM: 10, fullIsClosed: false, proofs: [1], direction: null, hours: null, difficulty: 1, rfidCodes: [] }

describe('what the fields ask for', () => {
  it('what nobody touched is left out', () => {
    expect(changeOf(NOTHING)).toEqual({})
    expect(isNothing(changeOf(NOTHING))).toBe(true)
    // A number without a way to use it asks for nothing.
    expect(changeOf({ ...NOTHING, capacity: 5 })).toEqual({})
    expect(changeOf({ ...NOTHING, tags: ['一'] })).toEqual({})
  })

  it('each field is sent as the server takes it', () => {
    expect(changeOf({ ...NOTHING, capacityWay: 'to', capacity: 0 })).toEqual({ capacity: { to: 0 } })
    expect(changeOf({ ...NOTHING, capacityWay: 'by', capacity: -3 })).toEqual({ capacity: { by: -3 } })
    expect(
      changeOf({
        capacityWay: 'percent',
        capacity: 20,
        minKeep: 0,
        bufferM: 5.5,
        fullIsClosed: 'off',
        proofs: { 1: 'on', 2: 'keep', 5: 'off' },
        toleranceDegrees: 30,
        hoursWay: 'part',
        hours: { fromMin: 420, untilMin: 1320 },
        changeTags: true,
        tags: [],
      }),
    ).toEqual({
      capacity: { percent: 20 },
      minKeep: 0,
      bufferM: 5.5,
      fullIsClosed: false,
      proofs: [
        { proof: 1, on: true },
        { proof: 5, on: false },
      ],
      toleranceDegrees: 30,
      open: { hours: { fromMin: 420, untilMin: 1320 } },
      tags: [],
    })
    expect(changeOf({ ...NOTHING, hoursWay: 'all' })).toEqual({ open: { hours: null } })
  })

  it('is said in words', () => {
    expect(changeWords({ capacity: { percent: -50 }, minKeep: 0, fullIsClosed: false, proofs: [{ proof: 4, on: true }], open: { hours: null }, tags: [] })).toEqual([
      '停放上限 −50%',
      '保有下限改为 0',
      '满桩禁停关',
      '要求脚撑检测',
      '开放时段改为全天',
      '清空标签',
    ])
    expect(changeWords({ capacity: { to: 40 }, bufferM: 3, toleranceDegrees: 20, tags: ['地铁', '国庆'] })).toEqual(['停放上限 改为 40', '缓冲距离改为 3 米', '允许偏差改为 20°', '标签改为地铁、国庆'])
    expect(changeWords({ capacity: { by: 5 } })).toEqual(['停放上限 +5 辆'])
  })

  it('each parking place is named as it was seen', () => {
    expect(bodyOf([{ id: '7', version: 3 }], { minKeep: 1 }, { from: null, until: NOW })).toEqual({ fences: [{ id: '7', version: 3 }], change: { minKeep: 1 }, from: null, until: NOW })
  })
})

describe('what it would do', () => {
  it('is said field by field, and nothing of one that stays', () => {
    const before = { parking, tags: [] }
    const after = { parking: { ...parking, capacity: 25, proofs: [1, 4] }, tags: ['国庆'] }
    expect(changesOf({ before, after }).map(saidOf)).toEqual(['停放上限 20 → 25', '还车凭证 蓝牙道钉 → 蓝牙道钉、脚撑检测', '标签 （空） → 国庆'])
    expect(changesOf({ before: null, after: null })).toEqual([])
  })

  it('when it counts is said, and that it ends with what was there before', () => {
    expect(timeText({ from: null, until: null })).toBe('立即生效')
    expect(timeText({ from: null, until: NOW })).toMatch(/^立即生效，.* 恢复原样$/)
    expect(madeText({ madeAt: NOW, fromAt: NOW, untilAt: null })).toBe('立即生效')
    expect(madeText({ madeAt: NOW, fromAt: NOW + 1, untilAt: null })).toMatch(/起生效$/)
  })
})
