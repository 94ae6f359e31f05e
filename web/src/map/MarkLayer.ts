import type { FleetFeed } from '@/live/fleetFeed'
import type L from 'leaflet'

import { CanvasOverlay, type Frame } from './CanvasOverlay'
import { mapPalettes, type Daylight } from './palette'
import { signSize } from './vehicles/fleetMath'

/** Rings around the bikes that were taken to be acted on, where they are now. */
export class MarkLayer extends CanvasOverlay {
  private slots: readonly number[] = []
  private leave: (() => void) | null = null

  constructor(
    private readonly feed: FleetFeed,
    private readonly daylight: Daylight,
  ) {
    super({ paneZ: 455 })
  }

  override onAdd(map: L.Map): this {
    this.leave = this.feed.onChange(() => {
      if (this.slots.length > 0) this.redraw()
    })
    return super.onAdd(map)
  }

  override onRemove(): this {
    this.leave?.()
    this.leave = null
    return super.onRemove()
  }

  setSlots(slots: readonly number[]): void {
    this.slots = slots
    this.redraw()
  }

  protected override paint(frame: Frame): void {
    const { ctx } = frame
    const { bikes } = this.feed
    const radius = signSize(frame.zoom) / 2 + 3
    ctx.strokeStyle = mapPalettes[this.daylight].accent
    ctx.lineWidth = 2
    ctx.beginPath()
    for (const slot of this.slots) {
      if (bikes.present[slot] === 0) continue
      const x = bikes.x[slot]! * frame.scale - frame.originX
      const y = bikes.y[slot]! * frame.scale - frame.originY
      if (x < -radius || y < -radius || x > frame.width + radius || y > frame.height + radius) continue
      ctx.moveTo(x + radius, y)
      ctx.arc(x, y, radius, 0, 2 * Math.PI)
    }
    ctx.stroke()
  }
}
