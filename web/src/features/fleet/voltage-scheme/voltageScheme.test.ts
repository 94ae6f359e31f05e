import { describe, expect, it } from 'vitest'
import { bindableOptions, schemeOptions, schemesToSee, toldApart } from '@/kit/schemeChoices'
import { bodyOf, curvePlaces, CURVE, fieldsOf, pointsFault, rising, voltsText } from './voltageScheme'

const points = [
  [40_000, 0],
  [46_000, 20],
  [48_000, 50],
  [50_000, 80],
  [54_600, 100],
].map(([voltageMv, percent]) => ({ voltageMv: voltageMv!, percent: percent! }))

describe('the curve of a voltage scheme', () => {
  it('rises from empty to full, in whichever order it is typed', () => {
    expect(pointsFault(points, 48)).toBeNull()
    expect(pointsFault(points.toReversed(), 48)).toBeNull()
    expect(rising(points.toReversed())).toEqual(points)
  })

  it('says what is wrong with it', () => {
    const changed = (at: number, change: Partial<{ voltageMv: number | null; percent: number | null }>) => points.map((point, index) => (index === at ? { ...point, ...change } : point))
    expect(pointsFault(points.slice(1), 48)).toContain('现有 4 个')
    expect(pointsFault(Array.from({ length: 51 }, (_, index) => ({ voltageMv: 40_000 + index, percent: index })), 48)).toContain('现有 51 个')
    expect(pointsFault(changed(1, { voltageMv: null }), 48)).toContain('每个点')
    expect(pointsFault(changed(0, { voltageMv: 40 }), 48)).toContain('28800 到 67200 mV')
    expect(pointsFault(points, 72)).toContain('72 V')
    expect(pointsFault(changed(2, { percent: 20 }), 48)).toContain('48000 mV')
    expect(pointsFault(changed(2, { voltageMv: 46_000 }), 48)).toContain('高于前一个点')
    expect(pointsFault(changed(0, { percent: 1 }), 48)).toContain('从 0% 开始')
    expect(pointsFault(changed(4, { percent: 99 }), 48)).toContain('到 100% 结束')
  })

  it('is drawn from the lower left to the upper right, and not at all of one point', () => {
    const places = curvePlaces(points)
    expect(places[0]).toMatchObject({ x: CURVE.left, y: CURVE.height - CURVE.bottom })
    expect(places.at(-1)).toMatchObject({ x: CURVE.width - CURVE.right, y: CURVE.top })
    expect(curvePlaces(points.slice(0, 1))).toEqual([])
    expect(curvePlaces(fieldsOf(undefined).points)).toEqual([])
  })
})

describe('a voltage scheme', () => {
  it('is told to the server with its points in order', () => {
    const said = bodyOf({ ...fieldsOf(undefined), name: '48V', agentId: '7', points: points.toReversed(), maxMileageKm: 60 })
    expect(said).toEqual({ name: '48V', nominalV: 48, chemistry: 1, points, maxMileageKm: 60, lowPercent: 20, enoughPercent: 80, state: 1 })
    expect(voltsText(52_149)).toBe('52.1 V')
  })

  it('is chosen by filters whatever its state, and bound while it is enabled', () => {
    const scheme = (id: string, name: string, state: 0 | 1, agentId: string | null) => ({ id, name, state, agentId, nominalV: 48 as const })
    const schemes = [scheme('7', '锂电', 1, '2'), scheme('8', '旧款', 0, '2'), scheme('9', '通用', 1, null)]
    expect(schemeOptions(schemes).map(({ value, label }) => `${value} ${label}`)).toEqual(['0 未设置', '7 锂电', '8 旧款（停用）', '9 通用'])
    expect(bindableOptions(schemes).map(({ label }) => label)).toEqual(['锂电', '通用（平台）'])
    // A role that names one which was deleted says so.
    expect(schemesToSee(schemes, ['7', '6']).map(({ label }) => label)).toEqual(['锂电', '旧款（停用）', '通用', '已删除或不可见（6）'])
  })

  it('that is called like another says whose it is, where that is known', () => {
    const scheme = (id: string, name: string, agentId: string | null) => ({ id, name, state: 1 as const, agentId, nominalV: 48 as const })
    const schemes = [scheme('7', '锂电', '2'), scheme('8', '锂电', '3'), scheme('9', '锂电', null), scheme('10', '铅酸', '2')]
    const told = toldApart(schemes, (agentId) => (agentId === '2' ? '甲公司' : undefined))
    expect(told.map(({ name }) => name)).toEqual(['锂电（甲公司）', '锂电', '锂电', '铅酸'])
  })
})
