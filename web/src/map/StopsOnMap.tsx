import { useEffect } from 'react'
import { useMap } from 'react-leaflet'
import { CanvasOverlay, type Frame } from './CanvasOverlay'
import { worldX, worldY } from '@/live/projection'

export interface StopDot {
  /** `[lng, lat]`, WGS-84. */
  readonly place: readonly number[]
  readonly color: string
}

const RADIUS_PX = 3.5

class StopLayer extends CanvasOverlay {
  private dots: readonly { x: number; y: number; color: string }[] = []

  constructor() {
    super({ paneZ: 420 })
  }

  setDots(dots: readonly StopDot[]): void {
    this.dots = dots.map(({ place, color }) => ({ x: worldX(place[0]!), y: worldY(place[1]!), color }))
    this.redraw()
  }

  protected override paint({ ctx, scale, originX, originY, width, height }: Frame): void {
    ctx.globalAlpha = 0.75
    for (const { x, y, color } of this.dots) {
      const [left, top] = [x * scale - originX, y * scale - originY]
      if (left < 0 || top < 0 || left > width || top > height) continue
      ctx.fillStyle = color
      ctx.beginPath()
      ctx.arc(left, top, RADIUS_PX, 0, 2 * Math.PI)
      ctx.fill()
    }
    ctx.globalAlpha = 1
  }
}

/** Where bikes stopped, each in its colour. */
export function StopsOnMap({ dots }: { dots: readonly StopDot[] }) {
  const map = useMap()
  useEffect(() => {
    const layer = new StopLayer()
    layer.setDots(dots)
    layer.addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, dots])
  return null
}
