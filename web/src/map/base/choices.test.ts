import { describe, expect, it } from 'vitest'
import { badgeOf, choicesOf, drawingDatum, firstOf, type Raster } from './choices'

const amap: Raster = {
  id: 'amap',
  name: '高德',
  url: 'https://webrd0{s}.is.autonavi.com/{z}/{x}/{y}',
  labelsUrl: '',
  subdomains: ['1', '2'],
  key: '',
  tms: false,
  datum: 'gcj02',
  leastZoom: 3,
  mostZoom: 18,
  attribution: '',
}
const tianditu: Raster = { ...amap, id: 'tianditu', name: '天地图', datum: 'cgcs2000' }
const vector = { kind: 'vector', url: '/ebike/v3/backend/map/base', first: '', layers: [] }

describe('layers to choose from', () => {
  it('are the base, those of the configuration and what needs no tiles', () => {
    const ids = (tiles: Parameters<typeof choicesOf>[0]) => choicesOf(tiles).map(({ id, kind }) => `${id} ${kind}`)
    expect(ids(null)).toEqual(['base vector', 'grid none'])
    expect(ids({ ...vector, layers: [amap] })).toEqual(['base vector', 'amap raster', 'grid none'])
    expect(ids({ ...vector, kind: 'none' })).toEqual(['base none'])
  })

  it('a configuration of before is one raster in WGS-84, with our own city to fall back to', () => {
    const [base, ...others] = choicesOf({ ...vector, kind: 'raster', url: 'https://tiles.example.com/{z}/{x}/{y}.png' })
    expect(base).toMatchObject({ id: 'base', kind: 'raster', datum: 'wgs84', raster: { url: 'https://tiles.example.com/{z}/{x}/{y}.png' } })
    expect(others.map(({ kind }) => kind)).toEqual(['vector', 'none'])
    // One that names no address has nothing to show.
    expect(choicesOf({ ...vector, kind: 'raster', url: '' })[0]?.kind).toBe('vector')
  })

  it('begin with what was chosen, then what the page is for, then what is configured', () => {
    const choices = choicesOf({ ...vector, layers: [amap, tianditu] })
    expect(firstOf(choices, ['tianditu', 'amap', '']).id).toBe('tianditu')
    expect(firstOf(choices, [null, 'tencent', 'amap']).id).toBe('amap')
    expect(firstOf(choices, ['gone', null, undefined]).id).toBe('base')
  })

  it('say their datum, and what is drawn on them has it', () => {
    const [base, first, second] = choicesOf({ ...vector, layers: [amap, tianditu] })
    expect([base, first, second].map((choice) => choice && badgeOf(choice))).toEqual(['城市底图 · WGS-84', '高德 · GCJ-02', '天地图 · CGCS2000'])
    expect([base, first, second].map((choice) => choice && drawingDatum(choice))).toEqual(['wgs84', 'gcj02', 'wgs84'])
  })
})
