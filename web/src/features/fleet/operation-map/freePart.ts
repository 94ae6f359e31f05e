/** The part of the map that panels leave free, in px of the map. Pure. */

/** Edges in px from the map's upper left corner. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Where the panels lie; null for one that is not there. */
export interface Panels {
  readonly left: Box | null
  readonly top: Box | null
  readonly drawer: Box | null
}

/** A drawer at least so wide, as a share of the map, is a sheet at its foot. */
const SHEET_SHARE = 0.7

/** What is free of `size` between the panels. */
export function freePart(size: { readonly x: number; readonly y: number }, { left, top, drawer }: Panels): Box {
  const sheet = drawer !== null && drawer.right - drawer.left >= size.x * SHEET_SHARE
  return {
    left: left?.right ?? 0,
    top: top?.bottom ?? 0,
    right: drawer === null || sheet ? size.x : drawer.left,
    bottom: drawer !== null && sheet ? drawer.top : size.y,
  }
}

/** Room for the ring around a bike and, above it, its number, px. */
const ROOM = { aside: 28, above: 56, below: 28 } as const

/** How far the map's middle has to go so that the point is free; 0, 0 when it is. */
export function panOffset(at: { readonly x: number; readonly y: number }, free: Box): [number, number] {
  return [outside(at.x, free.left + ROOM.aside, free.right - ROOM.aside), outside(at.y, free.top + ROOM.above, free.bottom - ROOM.below)]
}

function outside(at: number, least: number, most: number): number {
  // No room: the middle is the best there is.
  if (least > most) return at - (least + most) / 2
  if (at < least) return at - least
  return at > most ? at - most : 0
}
