import { describe, expect, it } from 'vitest'

import { readFilter } from '../mapFilter'
import { type Shown, stateOf, wantedOf } from './views'

const shown: Shown = {
  mask: readFilter('low_battery,alarm'),
  picked: { area: '17,18', tag: '新车&A' },
  layers: { heat: false, stations: true },
  place: { lat: 30.123456789, lng: 120.5, zoom: 14 },
}

describe('a view', () => {
  it('is stored as query text of the address, the layers and the place', () => {
    expect(stateOf(shown)).toBe('f=low_battery,alarm&area=17,18&tag=%E6%96%B0%E8%BD%A6%26A&layers=stations&view=30.12346,120.50000,14')
    expect(stateOf({ ...shown, mask: 0, picked: {}, layers: { heat: false, stations: false } })).toBe('view=30.12346,120.50000,14')
  })

  it('asks for what it says and takes away all else', () => {
    const { address, layers, place } = wantedOf(stateOf(shown))
    expect(address).toMatchObject({ f: 'low_battery,alarm', area: '17,18', tag: '新车&A', soc: null, why: null, carId: null, at: null })
    expect(layers).toEqual({ heat: false, stations: true })
    expect(place).toEqual({ lat: 30.12346, lng: 120.5, zoom: 14 })
  })

  it('leaves the map where it is when it says no place of the world', () => {
    expect(wantedOf('f=alarm').place).toBeNull()
    expect(wantedOf('view=1,2').place).toBeNull()
    expect(wantedOf('view=95,200,14').place).toBeNull()
  })
})
