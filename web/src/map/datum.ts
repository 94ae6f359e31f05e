/**
 * Between WGS-84, which GPS gives and the system keeps, GCJ-02, which AMap and Tencent show, and BD-09 of Baidu: by the very
 * rules of the server (`crates/vocabulary/src/geo.rs`), so that what is pasted lies where it would lie there.
 */

/** A datum that coordinates can be given in. */
export type Datum = 'wgs84' | 'gcj02' | 'bd09'

export const datumLabels: Readonly<Record<Datum, string>> = { wgs84: 'WGS-84', gcj02: 'GCJ-02', bd09: 'BD-09' }

/** Degrees. */
type Place = readonly [lng: number, lat: number]

const { PI } = Math
const KRASOVSKY_A = 6_378_245
const KRASOVSKY_EE = 0.006_693_421_622_965_943
const ROUNDS = 6
const BAIDU_PI = (PI * 3000) / 180

function inChina([lng, lat]: Place): boolean {
  return lng >= 72.004 && lng <= 137.8347 && lat >= 0.8293 && lat <= 55.8271
}

/** Degrees that GCJ-02 adds to WGS-84 at a place. */
function shift([lng, lat]: Place): Place {
  const [x, y] = [lng - 105, lat - 35]
  const waves = (t: number, a: number, b: number, c: number) => a * Math.sin(t * PI) + b * Math.sin((t / c) * PI)
  const common = ((20 * Math.sin(6 * x * PI) + 20 * Math.sin(2 * x * PI)) * 2) / 3
  const root = Math.sqrt(Math.abs(x))
  let dLat = -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * root + common
  dLat += (waves(y, 20, 40, 3) * 2) / 3
  dLat += ((160 * Math.sin((y / 12) * PI) + 320 * Math.sin((y * PI) / 30)) * 2) / 3
  let dLng = 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * root + common
  dLng += (waves(x, 20, 40, 3) * 2) / 3
  dLng += ((150 * Math.sin((x / 12) * PI) + 300 * Math.sin((x / 30) * PI)) * 2) / 3
  const phi = (lat / 180) * PI
  const magic = 1 - KRASOVSKY_EE * Math.sin(phi) ** 2
  return [
    (dLng * 180) / ((KRASOVSKY_A / Math.sqrt(magic)) * Math.cos(phi) * PI),
    (dLat * 180) / (((KRASOVSKY_A * (1 - KRASOVSKY_EE)) / (magic * Math.sqrt(magic))) * PI),
  ]
}

function gcjOfWgs(place: Place): Place {
  if (!inChina(place)) return place
  const [dLng, dLat] = shift(place)
  return [place[0] + dLng, place[1] + dLat]
}

function wgsOfGcj(place: Place): Place {
  if (!inChina(place)) return place
  let found = place
  for (let round = 0; round < ROUNDS; round += 1) {
    const [dLng, dLat] = shift(found)
    found = [place[0] - dLng, place[1] - dLat]
  }
  return found
}

function bdOfGcj([x, y]: Place): Place {
  const radius = Math.hypot(x, y) + 0.000_02 * Math.sin(y * BAIDU_PI)
  const angle = Math.atan2(y, x) + 0.000_003 * Math.cos(x * BAIDU_PI)
  return [radius * Math.cos(angle) + 0.0065, radius * Math.sin(angle) + 0.006]
}

function gcjOfBd([lng, lat]: Place): Place {
  const [x, y] = [lng - 0.0065, lat - 0.006]
  const radius = Math.hypot(x, y) - 0.000_02 * Math.sin(y * BAIDU_PI)
  const angle = Math.atan2(y, x) - 0.000_003 * Math.cos(x * BAIDU_PI)
  return [radius * Math.cos(angle), radius * Math.sin(angle)]
}

const placeOf = ([lng = NaN, lat = NaN]: readonly number[]): Place => [lng, lat]

/** `[lng, lat]` as `datum` gives it. */
export function fromWgs84(datum: Datum, corner: readonly number[]): number[] {
  const place = placeOf(corner)
  if (datum === 'wgs84') return [...place]
  return [...(datum === 'gcj02' ? gcjOfWgs(place) : bdOfGcj(gcjOfWgs(place)))]
}

/** `[lng, lat]` that was given in `datum`. */
export function toWgs84(datum: Datum, corner: readonly number[]): number[] {
  const place = placeOf(corner)
  if (datum === 'wgs84') return [...place]
  return [...wgsOfGcj(datum === 'gcj02' ? place : gcjOfBd(place))]
}
