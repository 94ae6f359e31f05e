import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Geometry } from './fence'
import { geometryOf, type Ring } from './geometry'
import { featureOf, type Mode, newPen } from './drawTool'
import { focusStill, holdOff } from './holdOff'
import { newAims, type Target } from './snapping'

interface PenProps {
  map: LeafletMap
  mode: Mode
  value: Geometry | null
  /** What a pointer is drawn to; none when it is drawn to nothing. */
  targets: readonly Target[]
  onDrawn(geometry: Geometry): void
  /** A line was drawn to cut along. */
  onCut(line: Ring): void
  /** Corners of what is being measured, the pointer the last of them. */
  onMeasure(line: Ring): void
  /** The tool is laid down. */
  onLeave(): void
}

/** Where a window is open above the editor, its own keys count. */
const ABOVE = '.ant-modal-wrap:not([style*="none"]), .ant-select-open'

/** The drawing tool on the map: what it draws is told when it is finished, what comes from outside replaces it. */
export function Pen({ map, mode, value, targets, onDrawn, onCut, onMeasure, onLeave }: PenProps) {
  const told = useRef<Geometry | null>(null)
  const drawn = useEffectEvent((geometry: Geometry) => {
    told.current = geometry
    onDrawn(geometry)
  })
  const cut = useEffectEvent(onCut)
  const measured = useEffectEvent(onMeasure)
  // The tool keeps the function that it was made with; this is what it finds.
  const [aims] = useState(() => newAims(targets))
  const [draw] = useState(() => newPen(map, ({ lng, lat }) => aims.snap([lng, lat], map.getZoom())))
  useEffect(() => aims.set(targets), [aims, targets])
  useEffect(() => focusStill(map), [map])
  useEffect(() => {
    const hold = holdOff(map)
    aims.unless(() => hold.held)
    return hold.end
  }, [aims, map])

  useEffect(() => {
    draw.start()
    draw.on('finish', (id) => {
      const feature = draw.getSnapshotFeature(id)
      if (feature?.geometry.type === 'Polygon') drawn(geometryOf(feature.geometry.coordinates[0] ?? [], feature.properties['radiusKilometers']))
      if (feature?.geometry.type === 'LineString' && feature.properties['mode'] === 'split') {
        // It is a cut, or nothing: in neither case does it stay.
        queueMicrotask(() => {
          if (draw.enabled && draw.hasFeature(id)) draw.removeFeatures([id])
        })
        cut(feature.geometry.coordinates)
      }
    })
    draw.on('change', (ids, type) => {
      if (draw.getMode() !== 'measure' || type === 'delete') return
      const lines = draw.getSnapshot().filter(({ geometry }) => geometry.type === 'LineString')
      const line = lines.find(({ id }) => id !== undefined && ids.includes(id))
      if (line?.geometry.type !== 'LineString') return
      measured(line.geometry.coordinates)
      // One line at a time.
      const others = lines.flatMap(({ id }) => (id === undefined || id === line.id ? [] : [id]))
      if (others.length > 0) queueMicrotask(() => draw.removeFeatures(others.filter((id) => draw.hasFeature(id))))
    })
    return () => draw.stop()
  }, [draw])

  const leave = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || document.querySelector(ABOVE)) return
    const begun = draw.getModeState() === 'drawing'
    if (!begun && (mode === 'select' || (value === null && mode !== 'measure'))) return
    // The drawer around it stays open.
    event.stopImmediatePropagation()
    event.preventDefault()
    if (begun) draw.setMode(mode)
    onLeave()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => leave(event)
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  }, [])

  useEffect(() => {
    const lies = draw.getSnapshot().find(({ geometry }) => geometry.type === 'Polygon')
    // What the tool has just told lies on it already, and is not taken out of the hand.
    if (mode === 'select' && value !== null && value === told.current && lies?.id !== undefined) {
      if (draw.getMode() !== 'select') draw.setMode('select')
      draw.selectFeature(lies.id)
      return
    }
    draw.setMode(mode === 'merge' ? 'static' : mode)
    // One edge at a time: beginning another begins on an empty map.
    draw.clear()
    told.current = value
    if (mode === 'polygon' || mode === 'circle' || value === null) return
    const [added] = draw.addFeatures([featureOf(value)])
    if (mode === 'select' && added?.id !== undefined && added.valid) draw.selectFeature(added.id)
  }, [draw, mode, value])
  return null
}
