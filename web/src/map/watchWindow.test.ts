import { describe, expect, it } from 'vitest'

import { canSendAll, nextWatch, padded, stillServes } from './watchWindow'

const view = [120, 30, 121, 31] as const
const watched = { bbox: padded(view, 0.5), zoom: 14 }

describe('the watched part of the world', () => {
  it('reaches half a view beyond each side and never off the globe', () => {
    expect(padded(view, 0.5)).toEqual([119.5, 29.5, 121.5, 31.5])
    expect(padded([-179.9, -84, 179.9, 84.5], 0.5)).toEqual([-180, -85, 180, 85])
  })
  it('serves small moves and one zoom step inward', () => {
    expect(stillServes(watched, [120.4, 30, 121.4, 31], 14)).toBe(true)
    expect(stillServes(watched, [120.25, 30.25, 120.75, 30.75], 15)).toBe(true)
  })
  it('is asked for anew when the view leaves it', () => {
    expect(stillServes(watched, [120.6, 30, 121.6, 31], 14)).toBe(false)
  })
  it('is asked for anew when it has become far larger than the view', () => {
    expect(stillServes(watched, [120.4, 30.4, 120.6, 30.6], 16)).toBe(false)
  })
  it('is asked for anew at every step of the counted zooms', () => {
    expect(stillServes({ ...watched, zoom: 11 }, view, 10)).toBe(false)
    expect(stillServes({ ...watched, zoom: 11 }, view, 12)).toBe(false)
    expect(stillServes({ ...watched, zoom: 11 }, view, 11)).toBe(true)
  })
  it('holds every bike that a list needs, wherever the map looks and however far out', () => {
    const all = [120, 30, 120.4, 30.4] as const
    const near = [120.1, 30.1, 120.12, 30.12] as const
    const whole = nextWatch(null, near, 16, all)
    expect(whole).toEqual({ bbox: [120, 30, 120.4, 30.4], zoom: 16 })
    expect(nextWatch(whole, [120.3, 30.3, 120.32, 30.32], 17, all)).toBeNull()
    expect(nextWatch(whole, [120.3, 30.3, 120.5, 30.5], 13, all)).toEqual({ bbox: [120, 30, 120.5, 30.5], zoom: 13 })
    expect(nextWatch(null, view, 10, all)?.zoom).toBe(12)
  })
  it('is the view alone where the server would not send all, and again when the list is gone', () => {
    expect([canSendAll([120, 30, 121, 31]), canSendAll([110, 25, 121, 31])]).toEqual([true, false])
    expect(nextWatch(null, view, 9, [110, 25, 121, 31])).toEqual({ bbox: padded(view, 0.5), zoom: 9 })
    expect(nextWatch({ bbox: [120, 30, 120.4, 30.4], zoom: 16 }, [120.1, 30.1, 120.12, 30.12], 16, null)?.bbox[2]).toBeCloseTo(120.13)
  })
})
