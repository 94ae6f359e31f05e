import { describe, expect, it } from 'vitest'

import { readBaseMap, type GroundFeature } from './baseMap'
import { labelSize, namesOf, placeLabels, straightSpots, upright } from './labels'

const place = (name: string, lng: number, lat: number, rank = 1): GroundFeature => ({
  type: 'Feature',
  properties: { kind: 'place', class: rank as 1 | 2 | 3, name },
  geometry: { type: 'Point', coordinates: [lng, lat] },
})
const road = (name: string, coordinates: [number, number][]): GroundFeature => ({
  type: 'Feature',
  properties: { kind: 'road', class: 1, name },
  geometry: { type: 'LineString', coordinates },
})
const scale = 2 ** 14
const view = { width: 800, height: 600, scale, originX: 128 * scale - 400, originY: 128 * scale - 300, zoom: 14 }
const measure = (text: string, size: number) => text.length * size

describe('labels', () => {
  it('do not overlap: the stronger one stays', () => {
    const names = namesOf([place('弱', 0, 0, 2), place('强', 0.0005, 0)])
    expect(placeLabels(names, view, measure).map((label) => label.text)).toEqual(['强'])
  })

  it('both stand when there is room', () => {
    const names = namesOf([place('东', 0.02, 0), place('西', -0.02, 0)])
    expect(placeLabels(names, view, measure)).toHaveLength(2)
  })

  it('outside the view are not placed', () => {
    expect(placeLabels(namesOf([place('远', 10, 10)]), view, measure)).toEqual([])
  })

  it('of a road follow it and are never upside down', () => {
    const [label] = placeLabels(namesOf([road('文一路', [[0.03, -0.01], [-0.03, 0.01]])]), view, measure)
    expect(label?.kind).toBe('road')
    expect(label?.angle).toBeCloseTo(Math.atan2(1, 3), 1)
    expect(Math.abs(upright(3))).toBeLessThan(Math.PI / 2)
  })

  it('of a road too short for its name are left out', () => {
    expect(placeLabels(namesOf([road('很长很长的路名', [[0, 0], [0.001, 0]])]), view, measure)).toEqual([])
  })

  it('stay where they are in the world when the map is moved', () => {
    const names = namesOf([road('文一路', [[-0.03, 0], [0.03, 0]])])
    const [before] = placeLabels(names, view, measure)
    const [after] = placeLabels(names, { ...view, originX: view.originX + 100 }, measure)
    expect(after!.x).toBeCloseTo(before!.x - 100, 6)
  })

  it('avoid the bends of a road', () => {
    const zigzag = Float64Array.from([0, 0, 1, 0, 1, 1, 2, 1, 2, 2])
    expect(straightSpots(zigzag, 40, 100)).toEqual([])
    expect(straightSpots(Float64Array.from([0, 0, 1, 0, 2, 0, 3, 0]), 40, 100)).toHaveLength(1)
  })

  it('are larger for districts than for lanes', () => {
    expect(labelSize('district', 1)).toBeGreaterThan(labelSize('road', 3))
  })
})

describe('a base map', () => {
  it('keeps only features with a known kind and a shape', () => {
    const read = readBaseMap({
      type: 'FeatureCollection',
      features: [
        road('a', [[0, 0], [1, 1]]),
        { type: 'Feature', properties: { kind: 'dragon' }, geometry: { type: 'Point', coordinates: [0, 0] } },
        { type: 'Feature', properties: { kind: 'park' }, geometry: null },
        { type: 'Feature', properties: null, geometry: { type: 'Point', coordinates: [0, 0] } },
        { type: 'Feature', properties: { kind: 'road', class: 9 }, geometry: { type: 'LineString', coordinates: [] } },
      ],
    })
    expect(read.map((feature) => feature.properties)).toEqual([
      { kind: 'road', class: 1, name: 'a' },
      { kind: 'road', class: 3, name: '' },
    ])
  })

  it('that is none is empty', () => {
    expect(readBaseMap({ suc: false })).toEqual([])
    expect(readBaseMap(null)).toEqual([])
  })
})
