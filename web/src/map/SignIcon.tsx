import { useEffect, useRef } from 'react'

import type { StateSign } from '@/kit/theme'

import { mapPalettes, type Daylight } from './palette'
import { drawNose, drawSign } from './vehicles/signs'

const SIDE = 18
const SIGN = 12

interface SignIconProps {
  sign: StateSign
  color: string
  daylight: Daylight
  /** px across. */
  size?: number
  /** Screen px of one of these, where a stage is scaled. */
  stretch?: number
}

/** A state's sign exactly as the map draws it; for legends. */
export function SignIcon({ sign, color, daylight, size = SIDE, stretch = 1 }: SignIconProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const ctx = canvas.current?.getContext('2d')
    if (canvas.current === null || !ctx) return
    const density = Math.max(1, window.devicePixelRatio * stretch * (size / SIDE))
    canvas.current.width = SIDE * density
    canvas.current.height = SIDE * density
    ctx.translate((SIDE * density) / 2, (SIDE * density) / 2)
    ctx.scale(density, density)
    const palette = mapPalettes[daylight]
    const paint = { color, edge: '', inside: palette.panel }
    if (sign === 'halo') {
      ctx.globalAlpha = 0.3
      drawSign(ctx, 'dot', SIDE, paint)
      ctx.globalAlpha = 1
      drawSign(ctx, 'dot', 9, paint)
    } else if (sign === 'heading') {
      ctx.translate(0, 2)
      drawNose(ctx, 10, paint)
      drawSign(ctx, sign, 10, paint)
    } else {
      drawSign(ctx, sign, SIGN, paint)
    }
  }, [sign, color, daylight, size, stretch])
  return <canvas ref={canvas} aria-hidden style={{ width: size, height: size }} />
}
