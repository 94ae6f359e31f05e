import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect } from 'react'
import type { FenceMap } from '@/map/fences/fences'
import { page } from '@/kit/theme'

const LINE = { color: page.weakText, weight: 1.5, dashArray: '6 4', fillOpacity: 0.06, interactive: false }

/** Whatever is in the name, as text. */
function nameOf(name: string): HTMLElement {
  const element = document.createElement('span')
  element.textContent = name
  return element
}

/** What is drawn already beside a fence, dashed and by name, however far away one looks from. */
export function Beside({ map, shapes }: { map: LeafletMap; shapes: NonNullable<FenceMap['customs']> }) {
  useEffect(() => {
    const layer = L.layerGroup(
      shapes.map(({ name, ring }) =>
        L.polygon(
          ring.map(([lng, lat]) => [lat!, lng!] as [number, number]),
          LINE,
        ).bindTooltip(nameOf(name), { permanent: true, direction: 'center', className: 'fence-beside' }),
      ),
    ).addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, shapes])
  return null
}
