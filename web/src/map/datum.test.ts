import { describe, expect, it } from 'vitest'
import { fromWgs84, toWgs84 } from './datum'

/** `[lng, lat]` in WGS-84 and in GCJ-02, as `crates/vocabulary/src/geo.rs` tests its own. */
const pairs: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  ['天安门', [116.391_083, 39.907_333], [116.397_324_046, 39.908_734_164]],
  ['厦门', [118.089_4, 24.479_8], [118.094_377_084, 24.477_153_232]],
  ['深圳', [114.057_9, 22.543_1], [114.063_013_999, 22.540_382_814]],
  ['哈尔滨', [126.535, 45.803_8], [126.541_040_35, 45.805_781_525]],
  ['巴黎，不偏移', [2.352_2, 48.856_6], [2.352_2, 48.856_6]],
]

/** The same to so many digits of a degree. */
function expectSame(found: readonly number[], wanted: readonly number[], digits: number) {
  for (const axis of [0, 1]) expect(found[axis]).toBeCloseTo(wanted[axis] ?? NaN, digits)
}

describe('the datums of a map', () => {
  it.each(pairs)('%s', (_, wgs, gcj) => {
    expectSame(fromWgs84('gcj02', wgs), gcj, 8)
    expectSame(toWgs84('gcj02', gcj), wgs, 8)
    expectSame(toWgs84('gcj02', fromWgs84('gcj02', wgs)), wgs, 12)
    expect([fromWgs84('wgs84', wgs), toWgs84('wgs84', wgs)]).toEqual([wgs, wgs])
  })

  it('BD-09 comes back within a metre', () => {
    const xiamen = [118.0894, 24.4798]
    const shown = fromWgs84('bd09', xiamen)
    expect(Math.hypot(shown[0]! - 118.0894, shown[1]! - 24.4798)).toBeGreaterThan(0.005)
    expectSame(toWgs84('bd09', shown), xiamen, 5)
  })
})
