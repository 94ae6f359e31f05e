/** What is filled in of a fence, and what is sent of it. */
import type { BodyOf } from '@/api/shapes'
import { formatMoney, parseMoney } from '@/kit/format'
import type { Datum } from '@/map/datum'
import { type Fence, type FenceType, type Geometry, isBan } from './fence'
import { converted } from './geometry'
import { NO_PLAN, type Plan } from './plan'
import { USUAL_BAN, USUAL_PARKING } from './RuleItems'
import { daysOf, type Hours, TOLERANCE_DEGREES, weekdaysOf } from './words'

export type NewFence = BodyOf<'/fence'>

export interface Fields {
  type: FenceType
  opAreaId: string | undefined
  name: string
  /** WGS-84. */
  geometry: Geometry | null
  /** What it was drawn in. */
  datum: Datum
  /** What is saved beside it. */
  plan: Plan
  capacity: number
  minKeep: number
  bufferM: number
  fullIsClosed: boolean
  proofs: number[]
  direction: number | null
  toleranceDegrees: number | null
  /** When a parking place is open, or a zone counts; null: all day. */
  hours: Hours | null
  difficulty: number
  rfidCodes: string[]
  /** Yuan; empty: as the billing configuration says. */
  penalty: string
  /** Monday is 0. */
  weekdays: number[]
  tags: string[]
  remark: string
}

/** The field that a refusal is about. */
export const fieldOf = {
  'area-unknown': 'opAreaId',
  'fence-name-taken': 'name',
  'fence-name': 'name',
  ring: 'geometry',
  'fence-outside-area': 'geometry',
  'fence-capacity': 'capacity',
  'fence-min-keep': 'minKeep',
  'fence-buffer': 'bufferM',
  'fence-direction': 'direction',
  'fence-hours': 'hours',
  'fence-difficulty': 'difficulty',
  'fence-rfid': 'rfidCodes',
  'fence-penalty': 'penalty',
  'fence-weekdays': 'weekdays',
  'fence-tags': 'tags',
  'fence-remark': 'remark',
}

export function originalOf(type: FenceType, fence: Fence | undefined): Fields {
  const { parking, ban } = fence ?? {}
  const { direction } = parking ?? {}
  const penalty = ban?.penaltyCents
  return {
    type,
    opAreaId: fence?.opAreaId,
    name: fence?.name ?? '',
    geometry: fence?.geometry ?? null,
    // Of what Baidu's map shows nothing is typed here: it goes on in WGS-84.
    datum: fence?.datum === 'gcj02' ? 'gcj02' : 'wgs84',
    plan: NO_PLAN,
    capacity: parking?.capacity ?? 50,
    minKeep: parking?.minKeep ?? 0,
    bufferM: parking?.bufferM ?? 10,
    fullIsClosed: parking?.fullIsClosed ?? false,
    proofs: parking?.proofs ?? [],
    direction: direction?.degrees ?? USUAL_PARKING.direction,
    toleranceDegrees: direction?.toleranceDegrees ?? USUAL_PARKING.toleranceDegrees,
    hours: parking?.hours ?? ban?.hours ?? null,
    difficulty: parking?.difficulty ?? USUAL_PARKING.difficulty,
    rfidCodes: parking?.rfidCodes ?? USUAL_PARKING.rfidCodes,
    penalty: penalty === null || penalty === undefined ? '' : formatMoney(penalty).replaceAll(',', ''),
    weekdays: ban?.weekdays === undefined ? USUAL_BAN.weekdays : daysOf(ban.weekdays),
    tags: fence?.tags ?? [],
    remark: fence?.remark ?? '',
  }
}

/** What is sent of the fields: those of its type, its edge in the datum that it was drawn in, as a draft. */
export function drawnOf({ type, name, geometry, datum, penalty, weekdays, hours, tags, remark, ...fields }: Fields) {
  const { capacity, minKeep, bufferM, fullIsClosed, proofs, direction, toleranceDegrees, difficulty, rfidCodes } = fields
  // The rule of the field lets nothing else pass.
  const edge = geometry as Geometry
  const pointed = direction === null ? null : { degrees: direction, toleranceDegrees: toleranceDegrees ?? TOLERANCE_DEGREES }
  const parking = { capacity, minKeep, bufferM, fullIsClosed, proofs, direction: pointed, hours, difficulty, rfidCodes }
  const ban = { penaltyCents: penalty === '' ? null : Number(parseMoney(penalty) ?? 0n), weekdays: weekdaysOf(weekdays), hours }
  return {
    name,
    geometry: converted(edge, datum, 'out'),
    datum,
    draft: true,
    tags,
    remark,
    ...(type === 'parking' ? { parking } : {}),
    ...(isBan(type) ? { ban } : {}),
  }
}
