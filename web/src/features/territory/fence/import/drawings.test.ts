import { describe, expect, it } from 'vitest'
import { apart, guessColumns, readCell, readGeoJson, readTable } from './drawings'
import { partsOf } from './send'

const SQUARE = [[118, 24], [118.001, 24], [118.001, 24.001], [118, 24]]
const feature = (geometry: unknown, properties: unknown = { name: '甲' }) => ({ type: 'Feature', geometry, properties })
const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features })
const faultsOf = (value: unknown) => readGeoJson(value)?.faults.map(({ place, text }) => [place, text])

describe('drawings of GeoJSON', () => {
  it('a polygon is a fence; its words come from its properties', () => {
    const read = readGeoJson(collection(feature({ type: 'Polygon', coordinates: [SQUARE] }, { 名称: ' 东门 ', 停放上限: '12', remark: '旧' })))
    expect(read).toEqual({
      drawings: [{ place: 1, name: '东门', capacity: 12, remark: '旧', geometry: { type: 'Polygon', coordinates: [SQUARE] } }],
      faults: [],
    })
  })

  it('several polygons of one feature are split; one without a name gets its number', () => {
    const read = readGeoJson(collection(feature({ type: 'MultiPolygon', coordinates: [[SQUARE], [SQUARE]] }), feature({ type: 'Polygon', coordinates: [SQUARE] }, null)))
    expect(read?.drawings.map(({ name }) => name)).toEqual(['甲-1', '甲-2', '围栏 2'])
  })

  it('heights go, an open ring is closed', () => {
    const open = [[118, 24, 9], [118.001, 24, 9], [118.001, 24.001, 9]]
    expect(readGeoJson(feature({ type: 'Polygon', coordinates: [open] }))?.drawings[0]?.geometry).toEqual({ type: 'Polygon', coordinates: [SQUARE] })
  })

  it('holes, nothing, points and lines are told with their place', () => {
    const line = { type: 'LineString', coordinates: SQUARE }
    expect(faultsOf(collection(feature({ type: 'Polygon', coordinates: [SQUARE, SQUARE] }), feature(null), feature(line), feature({ type: 'Polygon', coordinates: [['x']] })))).toEqual([
      [1, '有 1 个洞，围栏不能有洞'],
      [2, '没有边界'],
      [3, '是线，不是围栏的边界'],
      [4, '边界的坐标不正确'],
    ])
  })

  it('a circle comes back as one: by a radius, or as our own files have it', () => {
    const circle = { type: 'Point', coordinates: [118, 24], radiusM: 30 }
    expect(readGeoJson(feature({ type: 'Point', coordinates: [118, 24] }, { name: '甲', radius: 30 }))?.drawings[0]?.geometry).toEqual(circle)
    const own = { name: '甲', circle: { center: [118, 24], radiusM: 30 } }
    expect(readGeoJson(feature({ type: 'Polygon', coordinates: [SQUARE] }, own))?.drawings[0]?.geometry).toEqual(circle)
  })

  it('what is no GeoJSON is none', () => {
    for (const value of [null, 7, 'x', {}, { features: 3 }, []]) expect(readGeoJson(value)).toBeNull()
  })
})

describe('drawings of a table', () => {
  it('titles suggest their columns', () => {
    expect(guessColumns(['FENCE_ID', 'FENCE_LOC'])).toEqual({ name: 0, geometry: 1, capacity: -1, remark: -1 })
    expect(guessColumns(['备注', '停放上限', '边界坐标', '名称'])).toEqual({ name: 3, geometry: 2, capacity: 1, remark: 0 })
  })

  it('a cell is read in every usual form', () => {
    const polygon = { type: 'Polygon', coordinates: [SQUARE] }
    expect(readCell('[118,24],[118.001,24],[118.001,24.001],[118,24]')).toEqual(polygon)
    expect(readCell(JSON.stringify([SQUARE]))).toEqual(polygon)
    expect(readCell(JSON.stringify(polygon))).toEqual(polygon)
    expect(readCell('118,24;118.001,24;118.001,24.001')).toEqual(polygon)
    expect(readCell('POLYGON ((118 24, 118.001 24, 118.001 24.001, 118 24))')).toEqual(polygon)
    expect(readCell('MULTIPOLYGON (((118 24, 118.001 24, 118.001 24.001, 118 24)))')).toEqual({ type: 'MultiPolygon', coordinates: [[SQUARE]] })
    expect(readCell('118,24,30')).toEqual({ type: 'Point', coordinates: [118, 24], radiusM: 30 })
    for (const cell of ['x', '[1', '{', 'POLYGON ((a b))', '118,24']) expect(readCell(cell)).toBeNull()
  })

  it('lines that cannot be read are told with their line', () => {
    const rows = [['名称', '边界', '容量'], ['甲', '118,24;118.001,24;118.001,24.001', '5'], ['', 'x', ''], ['乙', '', ''], ['丙', '??', ''], ['丁', '118,24,30', '很多'], ['', '', '']]
    const read = readTable(rows, { name: 0, geometry: 1, capacity: 2, remark: -1 })
    expect(read.drawings.map(({ place, name, capacity }) => [place, name, capacity])).toEqual([[2, '甲', 5]])
    expect(read.faults.map(({ place, text }) => [place, text])).toEqual([
      [3, '没有名称'],
      [4, '没有边界'],
      [5, '边界的坐标读不懂'],
      [6, '停放上限「很多」不是数字'],
    ])
  })

  it('a name belongs to the first that has it', () => {
    const rows = [['name', 'wkt'], ...['甲', '乙', '甲'].map((name) => [name, '118,24,30'])]
    const { drawings, faults } = apart(readTable(rows, guessColumns(rows[0]!)))
    expect(drawings.map(({ place }) => place)).toEqual([2, 3])
    expect(faults.map(({ place, text }) => [place, text])).toEqual([[4, '与第 2 行重名']])
  })
})

describe('parts of an import', () => {
  it('keep the order, and neither too many rows nor too long', () => {
    expect(partsOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
    expect(partsOf(['一'.repeat(30), '二', '三'], 10, 95)).toEqual([['一'.repeat(30)], ['二', '三']])
    expect(partsOf([])).toEqual([])
  })
})
