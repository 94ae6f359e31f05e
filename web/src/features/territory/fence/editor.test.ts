import { union, xor } from 'polyclip-ts'
import { describe, expect, it } from 'vitest'
import { copyOf, moved, movedGeometry } from './copy'
import type { Fence } from './fence'
import { circleCorners, type Ring } from './geometry'
import { area_m2, formatLength, planeAt, sides_m, sum } from './measure'
import { beside, isWithin, merge } from './merge'
import { copiedName, NAME_MAX } from './plan'
import { snapped, targetsOf } from './snapping'
import { split } from './split'

/** `[east, north]` metres from a place in Xiamen, as degrees. */
const plane = planeAt([118.1, 24.5])
const at = (east: number, north: number) => plane.degrees([east, north]).map((degree) => Number(degree.toFixed(9)))
const ringOf = (...corners: readonly (readonly [number, number])[]): Ring => {
  const ring = corners.map(([east, north]) => at(east, north))
  return [...ring, ring[0]!]
}
const lineOf = (...corners: readonly (readonly [number, number])[]): Ring => corners.map(([east, north]) => at(east, north))
const pairs = (ring: Ring) => [ring.map(([lng, lat]) => [lng!, lat!] as [number, number])]
/** Square metres that are in one of two areas alone. */
const beyond_m2 = (a: Parameters<typeof xor>[0], b: Parameters<typeof xor>[0]) =>
  sum(xor(a, b).map(([outer, ...holes]) => area_m2(outer!) - sum(holes.map(area_m2))))

const square = ringOf([0, 0], [20, 0], [20, 10], [0, 10])
/** Like the letter U: two arms of 10 metres with 10 between them. */
const horseshoe = ringOf([0, 0], [30, 0], [30, 20], [20, 20], [20, 10], [10, 10], [10, 20], [0, 20])

const piecesOf = (ring: Ring, line: Ring): [Ring, Ring] => {
  const found = split(ring, line)
  if ('fault' in found) throw new Error(found.fault)
  return found.pieces
}
const faultOf = (found: object) => ('fault' in found ? found.fault : `no fault: ${JSON.stringify(found)}`)

describe('a fence is split', () => {
  it.each([
    ['across', square, lineOf([8, -3], [8, 13]), [120, 80]],
    ['with a bend', square, lineOf([8, -3], [8, 5], [25, 5]), [140, 60]],
    ['from corner to corner', square, lineOf([-2, -1], [22, 11]), [100, 100]],
    ['through one corner and a side', square, lineOf([-4, -8], [5, 10], [6, 12]), [175, 25]],
    ['from its own edge to its own edge', square, lineOf([5, 0], [5, 10]), [150, 50]],
    ['through one arm alone', horseshoe, lineOf([-3, 15], [15, 15]), [450, 50]],
    ['along a side and then across', horseshoe, lineOf([10, 25], [10, -5]), [300, 200]],
  ] as const)('%s', (_, ring, line, areas) => {
    const pieces = piecesOf(ring, line)
    expect(pieces.map((piece) => Math.round(area_m2(piece)))).toEqual(areas)
    for (const piece of pieces) expect(piece.at(-1)).toEqual(piece[0])
    // Nothing is lost, and nothing is in both.
    expect(beyond_m2(union(...(pieces.map(pairs) as [ReturnType<typeof pairs>, ReturnType<typeof pairs>])), pairs(ring))).toBeLessThan(0.01)
    expect(sum(pieces.map(area_m2))).toBeCloseTo(area_m2(ring), 2)
  })

  it('corners that stay keep their very degrees, and the pieces have the cut in common', () => {
    const [one, other] = piecesOf(square, lineOf([-2, -1], [22, 11]))
    expect([one, other].map(({ length }) => length)).toEqual([4, 4])
    for (const piece of [one, other]) for (const corner of piece) expect(square).toContainEqual(corner)
    expect(one.filter((corner) => other.some((its) => String(its) === String(corner))).length).toBeGreaterThanOrEqual(2)
  })

  it.each([
    ['it touches a corner alone', square, lineOf([-5, 5], [0, 10], [5, 15]), '只碰到围栏的边'],
    ['it runs along a side', square, lineOf([-5, 10], [25, 10]), '只碰到围栏的边'],
    ['it passes by', square, lineOf([-5, 12], [25, 12]), '没有穿过围栏'],
    ['an end lies within', square, lineOf([8, -3], [8, 5]), '两端都要画到围栏外面'],
    ['there would be three pieces', horseshoe, lineOf([-3, 15], [33, 15]), '分成 3 块'],
    ['it goes in and out and in again', square, lineOf([5, -3], [5, 13], [10, 13], [10, -3]), '分成 3 块'],
    ['it crosses itself', square, lineOf([-5, 5], [15, 5], [15, 15], [10, 15], [10, -5]), '不能与自己相交'],
    ['a piece would be nothing', square, lineOf([0.02, -3], [0.02, 13]), '至少需要 1 平方米'],
    ['it is a point', square, lineOf([-5, 5], [-5, 5]), '至少要有两个点'],
  ])('not when %s', (_, ring, line, why) => {
    expect(faultOf(split(ring, line))).toContain(why)
  })

  it('a circle is split by its corners', () => {
    const circle = circleCorners([118.1, 24.5], 30)
    const pieces = piecesOf(circle, lineOf([-50, 0.3], [50, 0.3]))
    expect(sum(pieces.map(area_m2))).toBeCloseTo(area_m2(circle), 1)
  })
})

describe('fences are merged', () => {
  const mergedOf = (a: Ring, b: Ring): Ring => {
    const found = merge(a, b)
    if ('fault' in found) throw new Error(found.fault)
    return found.ring
  }

  it.each([
    ['side by side', ringOf([20, 0], [40, 0], [40, 10], [20, 10]), 400],
    ['along a part of a side', ringOf([20, 2], [30, 2], [30, 8], [20, 8]), 260],
    ['overlapping', ringOf([15, 5], [35, 5], [35, 15], [15, 15]), 375],
    ['within', ringOf([5, 2], [8, 2], [8, 5], [5, 5]), 200],
    // Sixth digits of degrees leave as much between neighbours.
    ['with a gap of a hand', ringOf([20.1, 0.05], [40, 0], [40, 10], [20.1, 9.95]), 400],
    ['with a gap beside the middle of a side', ringOf([20.1, 2], [30, 2], [30, 8], [20.1, 8]), 260],
  ])('%s', (_, other, area) => {
    const ring = mergedOf(square, other)
    expect(Math.abs(area_m2(ring) - area)).toBeLessThan(2)
    expect(ring.at(-1)).toEqual(ring[0])
    expect(new Set(ring.map(String)).size).toBe(ring.length - 1)
    // Either way round.
    expect(Math.abs(area_m2(mergedOf(other, square)) - area)).toBeLessThan(3)
  })

  it('the two of the city that stand in a row', () => {
    const first = [[118.103198, 24.527338], [118.103224, 24.527373], [118.103236, 24.527366], [118.103209, 24.527331], [118.103198, 24.527338]]
    const second = [[118.103171, 24.527303], [118.103198, 24.527338], [118.103209, 24.527331], [118.103182, 24.527296], [118.103171, 24.527303]]
    expect(area_m2(mergedOf(first, second))).toBeCloseTo(area_m2(first) + area_m2(second), 1)
  })

  it.each([
    ['they meet at a point', square, ringOf([20, 10], [30, 10], [30, 20], [20, 20]), '只在一个点相接'],
    ['they lie apart', square, ringOf([21, 0], [30, 0], [30, 10], [21, 10]), '没有相连'],
    ['a hole would be left', horseshoe, ringOf([0, 18], [30, 18], [30, 25], [0, 25]), '不能有洞'],
  ])('not when %s', (_, ring, other, why) => {
    expect(faultOf(merge(ring, other))).toContain(why)
  })

  it('those come into question whose boxes meet, the nearest first', () => {
    const fence = (id: string, ring: Ring) => ({ id, ring })
    const far = fence('far', ringOf([100, 0], [110, 0], [110, 10], [100, 10]))
    const wide = fence('wide', ringOf([20, 0], [90, 0], [90, 10], [20, 10]))
    const near = fence('near', ringOf([20, 0], [30, 0], [30, 10], [20, 10]))
    expect(beside(square, [far, wide, near], 5).map(({ id }) => id)).toEqual(['near', 'wide'])
    expect(beside(square, [far, wide, near], 1)).toHaveLength(1)
    expect(isWithin(square, at(5, 5) as [number, number])).toBe(true)
    expect(isWithin(square, at(25, 5) as [number, number])).toBe(false)
  })
})

describe('a pointer is drawn to what is near', () => {
  const targets = targetsOf([square])
  const near = (east: number, north: number, zoom = 19) => snapped(targets, at(east, north) as [number, number], zoom)

  it('to a corner before a side, with its very degrees', () => {
    expect(near(0.5, 0.3)).toEqual(square[0])
    const side = near(10, 0.5)!
    expect(plane.flat(side)[0]).toBeCloseTo(10, 1)
    expect(plane.flat(side)[1]).toBeCloseTo(0, 2)
  })

  it('to nothing that is a speck on the screen', () => {
    expect(near(0.5, 0.3, 18)).toEqual(square[0])
    expect(near(0.5, 0.3, 16)).toBeUndefined()
  })

  it('and to nothing far away, which depends on the zoom', () => {
    expect(near(10, -4)).toBeUndefined()
    expect(near(10, -4, 18)).toBeDefined()
    expect(snapped([], [118.1, 24.5], 19)).toBeUndefined()
  })
})

describe('lengths and areas', () => {
  it('are those of the ground', () => {
    expect(sides_m(square).map(Math.round)).toEqual([20, 10, 20, 10])
    expect(area_m2(square)).toBeCloseTo(200, 1)
    expect(area_m2(square.slice(0, 2))).toBe(0)
    // A degree of latitude there, by the tables of the ellipsoid.
    expect(sides_m([[118, 24], [118, 25]])[0]! / 1000).toBeCloseTo(110.76, 1)
    expect([3.06, 250.4, 1234.5, 12_345].map(formatLength)).toEqual(['3.1 m', '250 m', '1,235 m', '12.35 km'])
  })
})

describe('fences are copied', () => {
  const fence = {
    id: '1',
    name: '东门',
    type: 'parking',
    opAreaId: 'a',
    geometry: { type: 'Polygon', coordinates: [square.map((corner) => [...corner])] },
    datum: 'gcj02',
    parking: { capacity: 20, minKeep: 1, bufferM: 5, fullIsClosed: true, proofs: [1], direction: { degrees: 90, toleranceDegrees: 20 }, hours: { fromMin: 60, untilMin: 120 }, difficulty: 2, rfidCodes: ['A-1'] },
    ban: null,
    tags: ['地铁口'],
    remark: '夜间',
  } as unknown as Fence

  it('with their metres, also far to the north', () => {
    const there = moved(square, [118.1, 24.5], [126.6, 45.8])
    expect(sides_m(there).map(Math.round)).toEqual([20, 10, 20, 10])
    expect(area_m2(there)).toBeCloseTo(200, 0)
    expect(movedGeometry({ type: 'Point', coordinates: [118.1, 24.5], radiusM: 8 }, [118.1, 24.5], [126.6, 45.8])).toEqual({ type: 'Point', coordinates: [126.6, 45.8], radiusM: 8 })
  })

  it('with their rules, as drafts; in their own area under another name', () => {
    const copy = copyOf(fence, 'b', [118.1, 24.5], [118.1, 24.5])
    expect(copy).toMatchObject({ name: '东门', type: 'parking', opAreaId: 'b', datum: 'gcj02', draft: true, tags: ['地铁口'], remark: '夜间' })
    expect(copy.parking).toEqual(fence.parking)
    expect(copyOf(fence, 'a', [118.1, 24.5], [118.1, 24.5]).name).toBe('东门-2')
  })

  it('a copied name is no longer than names may be', () => {
    const long = '站'.repeat(NAME_MAX)
    expect(copiedName(long, 12)).toBe(`${'站'.repeat(NAME_MAX - 3)}-12`)
    expect(copiedName(' 东门 ', 2)).toBe('东门-2')
  })
})
