/** Areas filled by how much of something they have, with their names; for walls by night. */
import { useEffect, useState } from 'react'
import { useMap } from 'react-leaflet'

import { fontFamily, wallFontSize } from '@/kit/theme'
import { worldX, worldY } from '@/live/projection'

import { CanvasOverlay, type Frame } from './CanvasOverlay'
import { mapPalettes } from './palette'

export interface AreaHeat {
  readonly name: string
  /** `[lng, lat]`, WGS-84. */
  readonly ring: readonly (readonly number[])[]
  /** 0 (nothing of it) to 1. */
  readonly strength: number
  /** Beneath its name. */
  readonly text: string
}

interface Drawn {
  readonly heat: AreaHeat
  readonly corners: readonly (readonly [number, number])[]
  readonly x: number
  readonly y: number
}

class HeatLayer extends CanvasOverlay {
  private drawn: readonly Drawn[] = []
  private color = ''

  constructor() {
    super({ paneZ: 420 })
  }

  setHeats(heats: readonly AreaHeat[], color: string): void {
    this.color = color
    this.drawn = heats.map((heat) => {
      const corners = heat.ring.map(([lng = 0, lat = 0]) => [worldX(lng), worldY(lat)] as const)
      const xs = corners.map(([x]) => x)
      const ys = corners.map(([, y]) => y)
      return { heat, corners, x: (Math.min(...xs) + Math.max(...xs)) / 2, y: (Math.min(...ys) + Math.max(...ys)) / 2 }
    })
    this.redraw()
  }

  protected override paint({ ctx, density, scale, originX, originY }: Frame): void {
    const palette = mapPalettes.night
    ctx.setTransform(1, 0, 0, 1, 0, 0)
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height)
    ctx.setTransform(density, 0, 0, density, 0, 0)
    for (const { heat, corners } of this.drawn) {
      ctx.beginPath()
      for (const [x, y] of corners) ctx.lineTo(x * scale - originX, y * scale - originY)
      ctx.closePath()
      ctx.fillStyle = this.color
      ctx.globalAlpha = heat.strength
      ctx.fill()
      ctx.globalAlpha = 1
      ctx.strokeStyle = heat.strength > 0 ? this.color : palette.label
      ctx.lineWidth = 2
      ctx.stroke()
    }
    ctx.textAlign = 'center'
    ctx.lineJoin = 'round'
    ctx.lineWidth = 5
    ctx.strokeStyle = palette.labelEdge
    ctx.fillStyle = palette.panelText
    ctx.font = `600 ${wallFontSize.caption}px ${fontFamily}`
    for (const { heat, x, y } of this.drawn) {
      const [left, top] = [x * scale - originX, y * scale - originY]
      for (const [line, text] of [heat.name, heat.text].entries()) {
        const at = top + line * wallFontSize.caption * 1.3
        ctx.strokeText(text, left, at)
        ctx.fillText(text, left, at)
      }
    }
  }
}

export function AreaHeatOnMap({ heats, color }: { heats: readonly AreaHeat[]; color: string }) {
  const map = useMap()
  const [layer] = useState(() => new HeatLayer())
  useEffect(() => {
    layer.addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, layer])
  useEffect(() => layer.setHeats(heats, color), [layer, heats, color])
  return null
}
