/** What is saved beside a fence that was split or merged. Pure. */
import type { FenceMap } from '@/map/fences/fences'
import type { FenceType, Geometry } from './fence'

export const NAME_MAX = 30

/** A piece that was cut off: it becomes a fence of its own. */
export interface Piece {
  geometry: Geometry
  /** Empty: as the fence that it was cut from, with a number. */
  name: string
  /** The draft that it was saved as; absent while it is not. */
  id?: string
}

export interface Plan {
  pieces: readonly Piece[]
  /** Fences that this one took in: they go once it is saved, when the person says so. */
  merged: readonly { id: string; name: string }[]
}

export const NO_PLAN: Plan = { pieces: [], merged: [] }
/** Pieces that may be cut off before it is saved. */
export const PIECES_MOST = 9

/** The name of a copy, as long as names may be. */
export function copiedName(name: string, number: number): string {
  const suffix = `-${number}`
  return `${Array.from(name.trim()).slice(0, NAME_MAX - suffix.length).join('')}${suffix}`
}

/** What the piece at this place is called. */
export const nameOfPiece = ({ name }: Piece, fence: string, index: number) => name.trim() || copiedName(fence, index + 2)

/** The fences of one type on the map; none of those that it does not show. */
export function ofType(fences: FenceMap | undefined, type: FenceType | undefined): FenceMap['parkings'] {
  const lists = { parking: fences?.parkings, noStop: fences?.noStops, noRide: fences?.noRides, custom: fences?.customs, maintain: [] }
  return (type && lists[type]) ?? []
}
