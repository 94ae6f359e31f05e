/** Drawings in a file, whatever its form: each place or fault is told with where in the file it stands. Pure. */
import type { Geometry } from '../fence'
import { read } from '../geometry'

/** A drawing of the file. */
export interface Drawing {
  /** Where it stands in the file: of a table the line, else which of its features, from 1. */
  place: number
  name: string
  geometry: Geometry
  capacity: number | null
  remark: string
}

/** Something in the file that is no fence. */
export interface Fault {
  place: number
  name: string
  text: string
  /** Where on the map, as the file has it. */
  spot: readonly number[] | null
  /** What can be drawn of it all the same, to show where it lies. */
  geometry: Geometry | null
}

export interface Reading {
  drawings: Drawing[]
  faults: Fault[]
}

/** A file has at most so many drawings. */
export const DRAWINGS_MOST = 20_000

type Corner = number[]
type Rings = Corner[][]
interface Words {
  place: number
  name: string
  capacity: number | null
  remark: string
}

const isCorner = (value: unknown): value is Corner =>
  Array.isArray(value) && value.length >= 2 && value.slice(0, 2).every((degree) => typeof degree === 'number' && Number.isFinite(degree))
const isRing = (value: unknown): value is Corner[] => Array.isArray(value) && value.length > 0 && value.every(isCorner)
const isRings = (value: unknown): value is Rings => Array.isArray(value) && value.length > 0 && value.every(isRing)

/** Without heights, closed. */
function closedRing(ring: readonly Corner[]): Corner[] {
  const flat = ring.map(([lng, lat]) => [lng!, lat!])
  const [first, last] = [flat[0]!, flat.at(-1)!]
  return first[0] === last[0] && first[1] === last[1] ? flat : [...flat, first]
}

/** Several of one name are told apart by numbers. */
const numbered = (name: string, number: number, count: number) => (count === 1 ? name : `${name}-${number + 1}`)

/** Fences of the polygons of one feature. */
function take(reading: Reading, words: Words, polygons: readonly Rings[]): void {
  for (const [number, rings] of polygons.entries()) {
    const name = numbered(words.name, number, polygons.length)
    const geometry: Geometry = { type: 'Polygon', coordinates: [closedRing(rings[0]!)] }
    if (rings.length === 1) reading.drawings.push({ ...words, name, geometry })
    else reading.faults.push({ place: words.place, name, text: `有 ${rings.length - 1} 个洞，围栏不能有洞`, spot: rings[1]![0]!, geometry })
  }
}

function refuse(reading: Reading, { place, name }: Words, text: string, spot: readonly number[] | null = null): void {
  reading.faults.push({ place, name, text, spot, geometry: null })
}

interface Shape {
  type?: unknown
  coordinates?: unknown
  geometries?: unknown
}

const SHAPELESS: Readonly<Record<string, string>> = { Point: '一个点', MultiPoint: '点', LineString: '线', MultiLineString: '线' }

/** Fences of a GeoJSON geometry. */
function takeShape(reading: Reading, words: Words, shape: Shape | null | undefined, radius_m: number | null): void {
  const { type, coordinates } = shape ?? {}
  if (!shape || type === undefined) return refuse(reading, words, '没有边界')
  if (type === 'Polygon' && isRings(coordinates)) return take(reading, words, [coordinates])
  if (type === 'MultiPolygon' && Array.isArray(coordinates) && coordinates.every(isRings)) return take(reading, words, coordinates)
  if (type === 'Point' && isCorner(coordinates) && radius_m !== null) {
    const geometry: Geometry = { type: 'Point', coordinates: [coordinates[0]!, coordinates[1]!], radiusM: radius_m }
    return void reading.drawings.push({ ...words, geometry })
  }
  if (type === 'GeometryCollection' && Array.isArray(shape.geometries)) {
    const parts = shape.geometries as Shape[]
    for (const [number, part] of parts.entries()) takeShape(reading, { ...words, name: numbered(words.name, number, parts.length) }, part, radius_m)
    return
  }
  const what = typeof type === 'string' ? SHAPELESS[type] : undefined
  if (what === undefined) return refuse(reading, words, '边界的坐标不正确')
  refuse(reading, words, `是${what}，不是围栏的边界`, type === 'Point' && isCorner(coordinates) ? coordinates : null)
}

const NAMES = ['name', 'Name', 'NAME', '名称', 'title', 'FENCE_ID', 'id']
const CAPACITIES = ['capacity', '停放上限', '容量', 'max_parking_number']
const REMARKS = ['remark', '备注', 'description']
const RADII = ['radius', 'radiusM', 'radius_m', '半径']

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '')

function firstOf(properties: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  return keys.map((key) => textOf(properties[key])).find((text) => text !== '') ?? ''
}

/** A number of zero or more that a text says; null when it says none. */
function numberOf(text: string): number | null {
  const number = Number(text)
  return text !== '' && Number.isFinite(number) && number >= 0 ? number : null
}

function wordsOf(place: number, properties: Readonly<Record<string, unknown>>, id: unknown): Words {
  const capacity = numberOf(firstOf(properties, CAPACITIES))
  return { place, name: firstOf(properties, NAMES) || textOf(id), capacity: capacity === null ? null : Math.round(capacity), remark: firstOf(properties, REMARKS) }
}

/** A circle as our own files have it, beside the ring that stands for it. */
function circleOf(value: unknown): Geometry | null {
  if (typeof value !== 'object' || value === null || !('center' in value) || !('radiusM' in value)) return null
  const { center, radiusM } = value
  return isCorner(center) && typeof radiusM === 'number' ? { type: 'Point', coordinates: center, radiusM } : null
}

interface Feature extends Shape {
  features?: unknown
  geometry?: Shape | null
  properties?: Readonly<Record<string, unknown>> | null
  id?: unknown
}

/** The drawings of GeoJSON; null when it is none. */
export function readGeoJson(value: unknown): Reading | null {
  if (typeof value !== 'object' || value === null) return null
  const whole = value as Feature
  const reading: Reading = { drawings: [], faults: [] }
  const features = whole.type === 'FeatureCollection' ? whole.features : [whole.type === 'Feature' ? whole : { geometry: whole }]
  if (typeof whole.type !== 'string' || !Array.isArray(features)) return null
  for (const [index, feature] of (features as (Feature | null)[]).entries()) {
    const properties = feature?.properties ?? {}
    const words = wordsOf(index + 1, properties, feature?.id)
    const circle = circleOf(properties['circle'])
    if (circle) reading.drawings.push({ ...words, geometry: circle })
    else takeShape(reading, words.name === '' ? { ...words, name: `围栏 ${words.place}` } : words, feature?.geometry, numberOf(firstOf(properties, RADII)))
  }
  return reading
}

/** Which column of a table says what; -1: none. */
export interface Columns {
  name: number
  geometry: number
  capacity: number
  remark: number
}

const TITLES: Readonly<Record<keyof Columns, RegExp>> = {
  name: /名称|name|title|编号|fence_?id|^id$/i,
  geometry: /坐标|边界|范围|loc|geom|wkt|polygon|coord|points?$/i,
  capacity: /容量|上限|capacity|parking_number/i,
  remark: /备注|说明|remark|note|desc/i,
}

/** What the titles suggest; each column says one thing. */
export function guessColumns(titles: readonly string[]): Columns {
  const taken = new Set<number>()
  const find = (what: keyof Columns) => {
    const found = titles.findIndex((title, index) => !taken.has(index) && TITLES[what].test(title.trim()))
    if (found >= 0) taken.add(found)
    return found
  }
  return { geometry: find('geometry'), name: find('name'), capacity: find('capacity'), remark: find('remark') }
}

const WKT = /^(MULTI)?POLYGON\s*Z?\s*\((.*)\)$/is

/** The polygons of a cell: GeoJSON, WKT, `[lng,lat],[lng,lat]…`, or `lng,lat;lng,lat…`; or a circle. Null when it is none of these. */
export function readCell(cell: string): Shape | null {
  const text = cell.trim()
  const wkt = WKT.exec(text)
  if (wkt) {
    const rings = wkt[2]!.replaceAll(/([-+\d.eE]+)\s+([-+\d.eE]+)(\s+[-+\d.eE]+)?/g, '[$1,$2]').replaceAll('(', '[').replaceAll(')', ']')
    return shapeOf(wkt[1] ? 'MultiPolygon' : 'Polygon', parsed(`[${rings}]`))
  }
  if (text.startsWith('{')) {
    const value = parsed(text)
    return typeof value === 'object' && value !== null ? value : null
  }
  if (text.startsWith('[')) {
    const value = parsed(text) ?? parsed(`[${text}]`)
    if (isRing(value)) return { type: 'Polygon', coordinates: [value] }
    return isRings(value) ? { type: 'Polygon', coordinates: value } : null
  }
  return read(text)
}

function shapeOf(type: string, coordinates: unknown): Shape | null {
  return coordinates === undefined ? null : { type, coordinates }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The drawings of a table: its first line are titles. */
export function readTable(rows: readonly (readonly string[])[], columns: Columns): Reading {
  const reading: Reading = { drawings: [], faults: [] }
  const cell = (row: readonly string[], column: number) => (column < 0 ? '' : (row[column] ?? '').trim())
  for (const [index, row] of rows.entries()) {
    if (index === 0 || row.every((text) => text.trim() === '')) continue
    const capacity = cell(row, columns.capacity)
    const count = numberOf(capacity)
    const words: Words = {
      place: index + 1,
      name: cell(row, columns.name),
      capacity: count === null ? null : Math.round(count),
      remark: cell(row, columns.remark),
    }
    const text = cell(row, columns.geometry)
    const shape = readCell(text)
    if (words.name === '') refuse(reading, words, '没有名称')
    else if (capacity !== '' && count === null) refuse(reading, words, `停放上限「${capacity}」不是数字`)
    else if (text === '') refuse(reading, words, '没有边界')
    else if (shape === null) refuse(reading, words, '边界的坐标读不懂')
    else if (shape.type === 'Point' && 'radiusM' in shape) reading.drawings.push({ ...words, geometry: shape as Geometry })
    else takeShape(reading, words, shape, null)
  }
  return reading
}

/** Of drawings with one name the first stays; the others are told with the place of that. */
export function apart({ drawings, faults }: Reading): Reading {
  const first = new Map<string, number>()
  const repeated = (drawing: Drawing) => {
    const known = first.get(drawing.name)
    if (known === undefined) first.set(drawing.name, drawing.place)
    return known
  }
  const kept: Drawing[] = []
  const told = [...faults]
  for (const drawing of drawings) {
    const known = repeated(drawing)
    if (known === undefined) kept.push(drawing)
    else told.push({ place: drawing.place, name: drawing.name, text: `与第 ${known} 行重名`, spot: null, geometry: drawing.geometry })
  }
  return { drawings: kept, faults: told }
}
