/** The vector base map: one GeoJSON of the city, loaded once and cut into tiles in the browser. */
import type { Feature, FeatureCollection, Geometry } from 'geojson'

import { api } from '@/api/client'
import { HttpError, Refusal } from '@/api/failures'

export type GroundKind = 'land' | 'water' | 'park' | 'road' | 'district' | 'place'
const kinds: ReadonlySet<string> = new Set<GroundKind>(['land', 'water', 'park', 'road', 'district', 'place'])

/** What a feature of the base map says of itself. */
export interface GroundTags {
  readonly kind: GroundKind
  /** Weight of a road or place: 1 the main ones. */
  readonly class: 1 | 2 | 3
  readonly name: string
}

export type GroundFeature = Feature<Geometry, GroundTags>

/** The features of a base map that can be drawn; what has no known kind or no shape is left out. */
export function readBaseMap(raw: unknown): GroundFeature[] {
  if (typeof raw !== 'object' || raw === null || !('features' in raw) || !Array.isArray(raw.features)) return []
  const features: GroundFeature[] = []
  for (const feature of (raw as FeatureCollection).features) {
    const tags = tagsOf(feature)
    if (tags !== null && feature.geometry) features.push({ type: 'Feature', properties: tags, geometry: feature.geometry })
  }
  return features
}

function tagsOf(feature: Feature): GroundTags | null {
  const properties: Record<string, unknown> = feature.properties ?? {}
  const { kind, name } = properties
  if (typeof kind !== 'string' || !kinds.has(kind)) return null
  const weight = Number(properties.class)
  return {
    kind: kind as GroundKind,
    class: weight === 1 || weight === 2 ? weight : 3,
    name: typeof name === 'string' ? name : '',
  }
}

/** Loads the base map; an empty list when the server has none. @throws HttpError when it cannot be reached */
export async function loadBaseMap(): Promise<GroundFeature[]> {
  try {
    const response = await api.download('/map/base', {}, { quiet: true })
    return readBaseMap(JSON.parse(await textOf(response)))
  } catch (error) {
    if (error instanceof Refusal || error instanceof SyntaxError) return []
    if (error instanceof HttpError && error.status === 404) return []
    throw error
  }
}

/** The text of an answer that may be gzip without saying so in its headers. */
async function textOf(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new TextDecoder().decode(bytes)
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(plain).text()
}
