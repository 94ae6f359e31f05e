import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo } from 'react'
import { formatArea, type Geometry } from './fence'
import { ringOf, type Ring } from './geometry'
import { area_m2, formatLength, planeOf, sides_m, sum } from './measure'

/** So many sides are said in words, and so many on the map. */
const SAID_MOST = 12
const LABELS_MOST = 60

interface MeasuredProps {
  value: Geometry | null
  /** What is being measured by clicks; null when nothing is. */
  line: Ring | null
}

/** How large what is drawn is, and how long what is being measured. */
export function Measured({ value, line }: MeasuredProps) {
  const ring = useMemo(() => (value ? ringOf(value) : null), [value])
  return (
    <p className="weak fence-measured" role="status" aria-label="测量结果">
      {ring && value && (
        <span>
          面积 {formatArea(area_m2(ring))} · {value.type === 'Point' ? `半径 ${formatLength(value.radiusM)}` : `${ring.length - 1} 个顶点`} · 周长 {formatLength(sum(sides_m(ring)))}
          {line && value.type === 'Polygon' && ` · 各边 ${listed(sides_m(ring))}`}
        </span>
      )}
      {line && <strong>{line.length < 2 ? '在地图上逐点单击，测量距离和面积' : saidOf(line)}</strong>}
    </p>
  )
}

function listed(lengths: readonly number[]): string {
  const shown = lengths.slice(0, SAID_MOST).map(formatLength).join('、')
  return lengths.length > SAID_MOST ? `${shown} 等 ${lengths.length} 条` : shown
}

function saidOf(line: Ring): string {
  const sides = sides_m(line)
  const parts = sides.length > 1 ? `（${listed(sides)}）` : ''
  const enclosed = line.length > 2 ? `，首尾相连围成 ${formatArea(area_m2(line))}` : ''
  return `测得 ${formatLength(sum(sides))}${parts}${enclosed}`
}

/** How long each side is, beside it on the map. */
export function SideLabels({ map, ring }: { map: LeafletMap; ring: Ring }) {
  useEffect(() => {
    const labels = L.layerGroup()
    const plane = planeOf(ring)
    for (const [n, length] of sides_m(ring).slice(0, LABELS_MOST).entries()) {
      const [from, to] = [plane.flat(ring[n]!), plane.flat(ring[n + 1]!)]
      const [lng, lat] = plane.degrees([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2])
      L.tooltip({ permanent: true, direction: 'center', className: 'fence-side' }).setLatLng([lat, lng]).setContent(formatLength(length)).addTo(labels)
    }
    labels.addTo(map)
    return () => {
      labels.remove()
    }
  }, [map, ring])
  return null
}
