import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useRef, useState, type PointerEvent } from 'react'

import { boxOf, CORNER_PX, type Corner, lassoed } from './lasso'
import type { Bikes, Mask } from './vehicles/fleetMath'

export type LassoMode = 'box' | 'lasso'

interface LassoToolProps {
  map: LeafletMap
  mode: LassoMode
  bikes: Bikes
  mask: Mask
  /** So many are taken at most. */
  most: number
  /** The slots of the shown bikes in what was drawn, and of how many. */
  onTaken: (taken: { slots: readonly number[]; total: number }) => void
  onCancel: () => void
}

const words: Readonly<Record<LassoMode, string>> = {
  box: '按住拖动画框选车，Esc 取消',
  lasso: '按住画圈选车，Esc 取消',
}

/** Lies over the map while something is drawn around bikes; the map stands still meanwhile. */
export default function LassoTool({ map, mode, bikes, mask, most, onTaken, onCancel }: LassoToolProps) {
  const [path, setPath] = useState<readonly Corner[]>([])
  const drawing = useRef<Corner[] | null>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      onCancel()
    }
    window.addEventListener('keydown', press, true)
    return () => window.removeEventListener('keydown', press, true)
  }, [onCancel])
  const place = (event: PointerEvent<HTMLDivElement>): Corner => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }
  const ringOf = (corners: readonly Corner[]) => (mode === 'box' && corners.length > 1 ? boxOf(corners[0]!, corners.at(-1)!) : corners)
  const begin = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    drawing.current = [place(event)]
  }
  const draw = (event: PointerEvent<HTMLDivElement>) => {
    const corners = drawing.current
    if (corners === null) return
    const next = place(event)
    const last = corners.at(-1)!
    if (Math.hypot(next.x - last.x, next.y - last.y) < CORNER_PX) return
    corners.push(next)
    setPath([...ringOf(corners)])
  }
  const end = () => {
    const ring = ringOf(drawing.current ?? [])
    drawing.current = null
    setPath([])
    // A click is no ring.
    if (ring.length < 3) return
    const min = map.getPixelBounds().min
    if (min === undefined) return
    const scale = 2 ** map.getZoom()
    const onGlobe = ring.map(({ x, y }) => ({ x: (x + min.x) / scale, y: (y + min.y) / scale }))
    onTaken(lassoed(bikes, mask, onGlobe, most))
  }
  return (
    <div
      className="map-lasso"
      role="application"
      aria-label={words[mode]}
      onPointerDown={begin}
      onPointerMove={draw}
      onPointerUp={end}
      onPointerCancel={() => {
        drawing.current = null
        setPath([])
      }}
    >
      <p className="map-lasso-words">{words[mode]}</p>
      <svg aria-hidden>{path.length > 1 && <polygon points={path.map(({ x, y }) => `${x},${y}`).join(' ')} />}</svg>
    </div>
  )
}
