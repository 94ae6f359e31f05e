/** What draws the fleet: ours, and what others would have taken. */
import L from 'leaflet'
import Supercluster, { type PointFeature } from 'supercluster'

import { stateStyle } from '@/kit/theme'
import { FleetFeed } from '@/live/fleetFeed'
import { VehicleLayer } from '@/map/vehicles/VehicleLayer'

import { buffers, type BenchBike } from './fleet'

/** One way of drawing. What is handed over in `prepare` costs nothing that is measured. */
export interface System {
  /** Stands there empty, as on a page whose data has not come. */
  readonly started: Promise<void>
  /** Makes ready what the network would bring: the whole fleet, or those that moved. */
  prepare(bikes: readonly BenchBike[], moved: readonly number[] | null): void
  /** Draws what was prepared; resolves when it is on the screen. */
  draw(): Promise<void>
  end(): void
}

const nextFrame = () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))
const colorOf = (bike: BenchBike) => stateStyle[bike.state]?.color ?? '#000'

function wheelhouse(map: L.Map): System {
  const feed = new FleetFeed()
  const layer = new VehicleLayer(feed)
  const painted = () => new Promise<void>((done) => layer.once('painted', () => done()))
  layer.addTo(map)
  let ready: ArrayBuffer[] = []
  let seq = 0
  return {
    started: painted(),
    prepare(bikes, moved) {
      seq += 1
      ready = moved === null ? buffers('snapshot', bikes, [...bikes.keys()], seq) : buffers('changes', bikes, moved, seq)
    },
    async draw() {
      for (const buffer of ready) feed.accept(buffer, Date.now())
      await painted()
      await nextFrame()
    },
    end() {
      layer.remove()
    },
  }
}

function circleMarkers(map: L.Map): System {
  const renderer = L.canvas({ padding: 0.1 })
  const markers = new Map<number, L.CircleMarker>()
  let ready: () => void = () => undefined
  return {
    started: nextFrame(),
    prepare(bikes, moved) {
      const wanted = (moved ?? [...bikes.keys()]).map((slot) => ({ slot, bike: { ...bikes[slot]! } }))
      ready = () => {
        for (const { slot, bike } of wanted) {
          const known = markers.get(slot)
          if (known !== undefined) known.setLatLng([bike.lat, bike.lng])
          else markers.set(slot, L.circleMarker([bike.lat, bike.lng], { renderer, radius: 4, weight: 1, color: '#fff', fillColor: colorOf(bike), fillOpacity: 1 }).addTo(map))
        }
      }
    },
    async draw() {
      ready()
      await nextFrame()
    },
    end() {
      for (const marker of markers.values()) marker.remove()
      renderer.remove()
    },
  }
}

/** Its index is static: whatever moved, it is loaded anew. The counts are drawn as Leaflet's canvas circles. */
function supercluster(map: L.Map): System {
  const renderer = L.canvas({ padding: 0.1 })
  let drawn: L.CircleMarker[] = []
  let points: PointFeature<object>[] = []
  return {
    started: nextFrame(),
    prepare(bikes, moved) {
      for (const slot of moved ?? bikes.keys()) {
        const { lat, lng } = bikes[slot]!
        points[slot] = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [lng, lat] } }
      }
    },
    async draw() {
      const index = new Supercluster({ radius: 32, maxZoom: 17 }).load(points)
      const view = map.getBounds().pad(0.1)
      for (const marker of drawn) marker.remove()
      drawn = index
        .getClusters([view.getWest(), view.getSouth(), view.getEast(), view.getNorth()], map.getZoom())
        .map(({ geometry: { coordinates }, properties }) =>
          L.circleMarker([coordinates[1]!, coordinates[0]!], { renderer, radius: 'cluster' in properties ? 12 : 4, weight: 1 }).addTo(map),
        )
      await nextFrame()
    },
    end() {
      for (const marker of drawn) marker.remove()
      points = []
      renderer.remove()
    },
  }
}

/** Nothing but the measuring. */
function harness(): System {
  return { started: nextFrame(), prepare: () => undefined, draw: nextFrame, end: () => undefined }
}

export const systems = { wheelhouse, 'circle-markers': circleMarkers, supercluster, harness } as const
export type SystemName = keyof typeof systems
