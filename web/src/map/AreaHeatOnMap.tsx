/** Areas filled by how much of something they have, with their names; for walls by night. */
import { useEffect, useState } from 'react'
import { useMap } from 'react-leaflet'

import { fontFamily } from '@/kit/theme'
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

/** Of the map's own px, which walls enlarge. */
const LETTERS_PX = 14

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

  protected override paint({ ctx, scale, originX, originY }: Frame): void {
    const palette = mapPalettes.night
    for (const { heat, corners } of this.drawn) {
      ctx.beginPath()
      for (const [x, y] of corners) ctx.lineTo(x * scale - originX, y * scale - originY)
      ctx.closePath()
      ctx.fillStyle = this.color
      ctx.globalAlpha = heat.strength
      ctx.fill()
      ctx.globalAlpha = 1
      ctx.strokeStyle = heat.strength > 0 ? this.color : palette.label
      ctx.lineWidth = 1.5
      ctx.stroke()
    }
    ctx.textAlign = 'center'
    ctx.textBaseline = 'middle'
    ctx.lineJoin = 'round'
    ctx.lineWidth = 4
    ctx.strokeStyle = palette.labelEdge
    ctx.fillStyle = palette.panelText
    const written: { left: number; right: number; top: number; bottom: number }[] = []
    const write = (text: string, x: number, y: number): boolean => {
      const half = ctx.measureText(text).width / 2
      const box = { left: x - half, right: x + half, top: y - LETTERS_PX * 0.6, bottom: y + LETTERS_PX * 0.6 }
      if (text === '' || written.some((one) => one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom)) return false
      written.push(box)
      ctx.strokeText(text, x, y)
      ctx.fillText(text, x, y)
      return true
    }
    // What it brings comes before what it is called: where areas are small, names give way.
    ctx.font = `700 ${LETTERS_PX}px ${fontFamily}`
    for (const { heat, x, y } of this.drawn) write(heat.text, x * scale - originX, y * scale - originY)
    ctx.font = `400 ${LETTERS_PX}px ${fontFamily}`
    for (const { heat, x, y } of this.drawn) write(heat.name, x * scale - originX, y * scale - originY - (heat.text === '' ? 0 : LETTERS_PX * 1.35))
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
