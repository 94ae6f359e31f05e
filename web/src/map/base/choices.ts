/** The layers that a person may lay beneath a map. Pure. */
import type { DataOf } from '@/api/shapes'
import type { Datum } from '../datum'

/** What the web configuration says of base maps. */
export type TilesConfig = Readonly<DataOf<'/web/config'>['tiles']>
export type Raster = TilesConfig['layers'][number]

/** A layer to choose. */
export interface BaseChoice {
  readonly id: string
  readonly name: string
  readonly kind: 'vector' | 'raster' | 'none'
  /** The datum of its picture, as its badge says. */
  readonly datum: Raster['datum']
  /** Where its pictures come from; null for what is drawn here. */
  readonly raster: Raster | null
}

const datumNames: Readonly<Record<Raster['datum'], string>> = { wgs84: 'WGS-84', gcj02: 'GCJ-02', cgcs2000: 'CGCS2000' }

const drawn = (id: string, name: string, kind: 'vector' | 'none'): BaseChoice => ({ id, name, kind, datum: 'wgs84', raster: null })
const ofRaster = (raster: Raster): BaseChoice => ({ id: raster.id, name: raster.name, kind: 'raster', datum: raster.datum, raster })

/** What stands in for tiles that do not load. */
export const OFFLINE = drawn('city', '离线底图', 'vector')
const GRID = drawn('grid', '网格', 'none')
/** Tiles of which a configuration says no more than where they are. */
const PLAIN = { labelsUrl: '', subdomains: [], key: '', tms: false, datum: 'wgs84', leastZoom: 3, mostZoom: 19, attribution: '' } as const

/** What `kind` and `url` of a configuration name. */
function baseOf({ kind, url }: Pick<TilesConfig, 'kind' | 'url'>): BaseChoice {
  if (kind === 'none') return { ...GRID, id: 'base' }
  if (kind !== 'raster' || !url) return { ...OFFLINE, id: 'base', name: '城市底图' }
  return ofRaster({ ...PLAIN, id: 'base', name: '自有底图', url, subdomains: ['a', 'b', 'c'] })
}

/** The layers of a configuration, what it names first before all: each once. */
export function choicesOf(tiles: TilesConfig | null): readonly BaseChoice[] {
  const base = baseOf(tiles ?? { kind: 'vector', url: '' })
  const rasters = (tiles?.layers ?? []).map(ofRaster)
  const own = base.kind === 'raster' ? [OFFLINE, GRID] : base.kind === 'vector' ? [GRID] : []
  return [base, ...rasters, ...own]
}

/** Of `choices` the first that is there: what was chosen, what the page is for, what the configuration names, the base. */
export function firstOf(choices: readonly BaseChoice[], wanted: readonly (string | null | undefined)[]): BaseChoice {
  for (const id of wanted) {
    const found = choices.find((choice) => choice.id === id)
    if (found) return found
  }
  return choices[0] ?? OFFLINE
}

/** A layer with its datum, as its badge says. */
export const badgeOf = ({ name, datum }: Pick<BaseChoice, 'name' | 'datum'>): string => `${name} · ${datumNames[datum]}`

/** The datum of what is drawn by hand on a layer; CGCS2000 is WGS-84 for every map. */
export const drawingDatum = ({ datum }: Pick<BaseChoice, 'datum'>): Datum => (datum === 'gcj02' ? 'gcj02' : 'wgs84')
