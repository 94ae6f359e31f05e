import { expect, describe, it } from 'vitest'
import { differences, formatKm2 } from './areaFence'
import { cornersIn, cornersOf, countOf, fault, inserted, middleOf, moved, nearest, polygonOf, readEdge, removed, type Ring, sidesIn } from './corners'

const square: Ring = [[118, 24], [118.1, 24], [118.1, 24.1], [118, 24.1], [118, 24]]

describe('corners that are taken hold of', () => {
  it('are those in sight, the first one once', () => {
    expect(cornersIn(square, { west: 117.9, south: 23.9, east: 118.05, north: 24.2 })).toEqual([0, 3])
    expect(cornersIn(square, { west: 118.01, south: 24.01, east: 118.09, north: 24.09 })).toEqual([])
    expect(sidesIn(square, { west: 118.01, south: 23.9, east: 118.2, north: 24.09 })).toEqual([0, 1])
    expect(middleOf(square, 3)).toEqual([118, 24.05])
    expect(nearest(square, [0, 1, 2, 3], [118.09, 24.06], 2)).toEqual([2, 1])
  })

  it('move, and the ring stays closed', () => {
    const ring = moved(square, 0, [117.9999999999, 23.5])
    expect(ring).toEqual([[118, 23.5], [118.1, 24], [118.1, 24.1], [118, 24.1], [118, 23.5]])
    expect(square[0]).toEqual([118, 24])
  })

  it('are added on a side, the last one too, and removed down to three', () => {
    expect(inserted(square, 3, [117.9, 24.05])).toEqual([[118, 24], [118.1, 24], [118.1, 24.1], [118, 24.1], [117.9, 24.05], [118, 24]])
    const three = removed(square, 0)
    expect(three).toEqual([[118.1, 24], [118.1, 24.1], [118, 24.1], [118.1, 24]])
    expect(removed(three, 1)).toBe(three)
    expect(countOf(three)).toBe(3)
  })
})

describe('an edge as text', () => {
  it('is lines of numbers, or GeoJSON of one polygon', () => {
    expect(readEdge('118, 24\n118.1, 24\n118.1, 24.1\n118, 24.1')).toEqual(polygonOf(square))
    const polygon = { type: 'Polygon', coordinates: [square.map((corner) => [...corner, 7])] }
    expect(readEdge(JSON.stringify(polygon))).toEqual(polygonOf(square))
    const collection = { type: 'FeatureCollection', features: [{ type: 'Feature', geometry: { type: 'MultiPolygon', coordinates: [[square]] } }] }
    expect(readEdge(` ${JSON.stringify(collection)}`)).toEqual(polygonOf(square))
  })

  it('is none with holes, in several parts, round, or broken', () => {
    const holed = { type: 'Polygon', coordinates: [square, square] }
    const parts = { type: 'MultiPolygon', coordinates: [[square], [square]] }
    const line = { type: 'LineString', coordinates: square }
    const words = { type: 'Polygon', coordinates: [[['a', 1], [2, 3], [4, 5], ['a', 1]]] }
    for (const text of [holed, parts, line, words].map((one) => JSON.stringify(one))) expect(readEdge(text)).toBeNull()
    for (const text of ['{', '{}', '118, 24, 500', '118, 24']) expect(readEdge(text)).toBeNull()
  })

  it('has three corners at least and ten thousand at most', () => {
    const round = (count: number) => polygonOf(Array.from({ length: count + 1 }, (_, n) => [n, n]))
    expect(fault(null)).toMatch(/现有 0 个/)
    expect(fault(round(10_000))).toBeNull()
    expect(fault(round(10_001))).toMatch(/3 到 10,000 个顶点，现有 10,001 个/)
    expect(cornersOf({ type: 'Point', coordinates: [1, 2], radiusM: 3 })).toEqual([])
  })
})

it('the size of an edge and what another one changes are said in square kilometres', () => {
  expect([0, 4200, 156_800_000].map(formatKm2)).toEqual(['0.00 km²', '0.0042 km²', '156.80 km²'])
  expect(differences({ areaM2: 2_500_000, corners: 4 }, { areaM2: 2_000_000, corners: 3799 })).toBe('面积 2.50 km² → 2.00 km²（−0.50 km²），顶点 4 → 3,799 个')
  expect(differences({ areaM2: 1_000_000, corners: 4 }, { areaM2: 1_000_000, corners: 4 })).toMatch(/顶点 4 个$/)
})
