/** The part of the world on a canvas: canvas px are CSS px, and `x * scale - originX` brings a world x onto it. */
export interface View {
  /** CSS px, the margin around the map's view included. */
  readonly width: number
  readonly height: number
  /** 2^zoom: screen px of one world pixel at zoom 0. */
  readonly scale: number
  readonly originX: number
  readonly originY: number
  readonly zoom: number
  /** Backing px of one CSS px. */
  readonly density: number
  /** CSS px of the margin beyond each side of the map's view. */
  readonly marginX: number
  readonly marginY: number
}

/** Backing px of a canvas that shows `view`. */
export function backingSize(view: Pick<View, 'width' | 'height' | 'density'>): { width: number; height: number } {
  return { width: Math.max(1, Math.round(view.width * view.density)), height: Math.max(1, Math.round(view.height * view.density)) }
}
