import { describe, expect, it } from 'vitest'
import { latOf, lngOf, WORLD_PX, worldX, worldY } from '@/live/projection'
import { toWgs84 } from '../datum'
import { inPicture, onMap, tileBox } from './shift'

const EARTH_M = 6_371_008.8
const metres = ([lngA, latA]: readonly number[], [lngB, latB]: readonly number[]) => {
  const radians = Math.PI / 180
  return EARTH_M * Math.hypot((lngA! - lngB!) * radians * Math.cos(latA! * radians), (latA! - latB!) * radians)
}

const places: readonly (readonly [string, number, number])[] = [
  ['厦门', 118.0894, 24.4798],
  ['北京', 116.391083, 39.907333],
  ['乌鲁木齐', 87.6168, 43.8256],
  ['哈尔滨', 126.535, 45.8038],
]

describe('the picture of a GCJ-02 map', () => {
  it.each(places)('at %s there and back is the same place', (_, lng, lat) => {
    const spot = [worldX(lng), worldY(lat)] as const
    const [x, y] = onMap(inPicture(spot))
    expect(metres([lngOf(x), latOf(y)], [lng, lat])).toBeLessThan(0.001)
    const [pictured, row] = inPicture(spot)
    expect(metres([lngOf(pictured), latOf(row)], [lng, lat])).toBeGreaterThan(100)
  })

  it('outside of China it is where it is', () => {
    const spot = [worldX(2.3522), worldY(48.8566)] as const
    expect(onMap(spot)).toEqual([expect.closeTo(spot[0], 10), expect.closeTo(spot[1], 10)])
  })

  // What a hand draws on a spot of the picture is that spot: nearer than half a metre where one draws, than a pixel farther out.
  it.each(places)('at %s a corner drawn on it comes back where it is', (_, lng, lat) => {
    for (const z of [16, 17, 18, 19]) {
      const side = WORLD_PX / 2 ** z
      const [px, py] = inPicture([worldX(lng), worldY(lat)])
      const [column, row] = [Math.floor(px / side), Math.floor(py / side)]
      const box = tileBox({ x: column, y: row, z })
      for (const [right, down] of [[0, 0], [0.25, 0.75], [0.5, 0.5], [0.99, 0.01], [1, 1]] as const) {
        // A spot of the tile's picture, whose true place the datum tells …
        const pictured = [lngOf((column + right) * side), latOf((row + down) * side)]
        const there = toWgs84('gcj02', pictured)
        // … and the pixel that it is painted at.
        const x = box.left + (box.right - box.left) * right
        const y = box.top + (box.bottom - box.top) * down
        const drawn = [lngOf(x / 2 ** z), latOf(y / 2 ** z)]
        const pixel_m = (Math.cos((lat * Math.PI) / 180) * 40_075_016.7) / (WORLD_PX * 2 ** z)
        expect(metres(drawn, there)).toBeLessThan(z >= 18 ? 0.5 : pixel_m)
      }
    }
  })

  it('neighbours touch: one tile ends where the next begins', () => {
    for (let step = 0; step < 50; step += 1) {
      const [x, y, z] = [216_990 + step * 7, 112_700 + step * 3, 18]
      const { right, bottom, left } = tileBox({ x, y, z })
      expect(tileBox({ x: x + 1, y, z }).left).toBe(right)
      expect(tileBox({ x, y: y + 1, z }).top).toBe(bottom)
      expect(Math.abs(right - left - WORLD_PX)).toBeLessThanOrEqual(2)
    }
  })
})
