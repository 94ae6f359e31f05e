/**
 * The map: base layer, whatever layers are its children, and nothing of the page around it.
 * `react-leaflet` is used here and nowhere else.
 */
import L, { type Map as LeafletMap } from 'leaflet'
import { type CSSProperties, type ReactNode, useEffect, useState } from 'react'
import { MapContainer, ScaleControl, useMap } from 'react-leaflet'
import 'leaflet/dist/leaflet.css'

import { alarmStyle, ink, readable } from '@/kit/theme'

import type { Extent } from './base/beyond'
import { BaseLayers, type BaseState, type TilesConfig } from './BaseLayers'
import { looksWithin, type Corners } from './bounds'
import './map.css'
import { mapPalettes, type Daylight } from './palette'

export interface MapStart {
  readonly lat: number
  readonly lng: number
  readonly zoom: number
}

export interface MapViewProps {
  /** What the map looks at first. */
  start: MapStart
  daylight: Daylight
  tiles: TilesConfig | null
  /** Read out to those who do not see the map. */
  label: string
  /** Corners of what has to be reached beside the base map: areas, a bike that strayed. */
  reach?: Corners | null
  onReady?: (map: LeafletMap | null) => void
  onBaseState?: (state: BaseState) => void
  children?: ReactNode
}

/** Colours of the map for its style sheet. */
export function mapVariables(daylight: Daylight): CSSProperties {
  const palette = mapPalettes[daylight]
  const variables: Record<`--${string}`, string> = {
    '--map-outside': palette.outside,
    '--map-accent': palette.accent,
    '--map-panel': palette.panel,
    '--map-text': palette.panelText,
    '--map-weak': palette.label,
    '--map-line': palette.panelLine,
    '--map-alarm': alarmStyle.color,
    '--map-link': daylight === 'day' ? readable(palette.accent) : palette.accent,
    '--map-amber': ink.warning,
    '--map-amber-ink': daylight === 'day' ? readable(ink.warning) : ink.warning,
    '--map-good': ink.good,
  }
  return variables
}

/** Follows the box of the map: a menu folds, a page comes back from behind another. */
function FollowBox() {
  const map = useMap()
  useEffect(() => {
    const box = map.getContainer()
    const watch = new ResizeObserver(() => {
      // Behind another page it has no size, and keeps the one it had.
      if (box.clientWidth === 0) return
      const before = map.getSize()
      map.invalidateSize({ animate: false })
      // What was not painted while nobody saw it is painted now.
      if (before.equals(map.getSize())) map.fire('resize')
    })
    watch.observe(box)
    return () => watch.disconnect()
  }, [map])
  return null
}

const LEAST_ZOOM = 4

/** Keeps the view on the city: nobody looks at nothing, near or far. */
function KeepWithin({ south, west, north, east }: { south: number; west: number; north: number; east: number }) {
  const map = useMap()
  useEffect(() => {
    const bounds = L.latLngBounds([south, west], [north, east])
    const keep = () => {
      const size = map.getSize()
      const wide = map.project(bounds.getSouthEast(), 0).subtract(map.project(bounds.getNorthWest(), 0))
      // Not getBoundsZoom: it never answers less than the least zoom of before, which a smaller window had.
      const fits = Math.floor(Math.log2(Math.min(size.x / wide.x, size.y / wide.y)))
      const least = Math.max(LEAST_ZOOM, fits)
      // Not left to `setMinZoom`, which moves there: whoever looks at something meanwhile would be taken back when that motion ends.
      if (map.getZoom() < least) map.setZoom(least, { animate: false })
      map.setMinZoom(least)
    }
    keep()
    map.setMaxBounds(bounds)
    map.on('resize', keep)
    return () => {
      map.off('resize', keep)
      map.setMaxBounds(undefined)
      map.setMinZoom(LEAST_ZOOM)
    }
  }, [map, south, west, north, east])
  return null
}

/** A full-size Leaflet map in its positioned parent. */
export function MapView({ start, daylight, tiles, label, reach = null, onReady, onBaseState, children }: MapViewProps) {
  // Leaflet's map ends with the effects of the page that holds it; when that page comes back, it begins anew.
  const [life, setLife] = useState(0)
  useEffect(() => () => setLife((lives) => lives + 1), [])
  const [extent, setExtent] = useState<Extent | null>(null)
  const within = looksWithin(extent, reach)
  return (
    <div style={mapVariables(daylight)} role="region" aria-label={label}>
      <MapContainer
        key={life}
        ref={onReady}
        className="map-view"
        // Said here too: Leaflet looks for it before the drawer that the map lies in stands in the page, where no style sheet reaches it.
        style={{ position: 'absolute' }}
        center={[start.lat, start.lng]}
        zoom={start.zoom}
        minZoom={LEAST_ZOOM}
        maxBoundsViscosity={1}
        maxZoom={19}
        zoomControl={false}
        attributionControl={false}
        trackResize={false}
        zoomAnimation={!prefersStillness()}
        fadeAnimation={!prefersStillness()}
        markerZoomAnimation={!prefersStillness()}
        inertiaMaxSpeed={2500}
        wheelPxPerZoomLevel={90}
      >
        <BaseLayers daylight={daylight} tiles={tiles} onState={onBaseState} onExtent={setExtent} />
        {within !== null && <KeepWithin south={within[0][0]} west={within[0][1]} north={within[1][0]} east={within[1][1]} />}
        <FollowBox />
        <ScaleControl position="bottomleft" imperial={false} />
        {children}
      </MapContainer>
    </div>
  )
}

/** Whether the user asked the system for less motion. */
export function prefersStillness(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches
}
