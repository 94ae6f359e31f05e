import { alarmStateLabels, lifecycleLabels, operationStateLabels, ridingStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf } from '@/kit/choice'

/**
 * One bike as the drawer shows it: the data of `GET /vehicle/{carId}` and of the topic `vehicle/<carId>`. Times are
 * epoch ms; what the bike never reported is null.
 */
export type Vehicle = Readonly<DataOf<'/vehicle/{carId}'>>

/** The newest command. */
export type VehicleCommand = Readonly<NonNullable<Vehicle['command']>>

/** A report out of a bike's history. */
export type HistoryPoint = Readonly<DataOf<'/vehicle/{carId}/history'>['points'][number]>

export const lifecycleWord = (value: number): string => labelOf(lifecycleLabels, value)
export const ridingWord = (value: number): string => labelOf(ridingStateLabels, value)
export const operationWord = (value: number): string => labelOf(operationStateLabels, value)
export const alarmWord = (value: number): string => labelOf(alarmStateLabels, value)

/** Metres the true position is likely to be off; one unit of HDOP is about 5 m with such receivers. */
export function positionError_m(hdop: number | null): number | null {
  return hdop === null || hdop <= 0 ? null : Math.max(3, Math.round(hdop * 5))
}

/** `ms` as people say it: 刚刚, 12 秒, 3 分钟, 2 小时, 5 天. */
export function ageWord(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 3) return '刚刚'
  if (seconds < 60) return `${seconds} 秒前`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} 分钟前`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} 小时前`
  return `${Math.floor(seconds / 86_400)} 天前`
}

/** Metres between two places, along the great circle. */
export function distance_m(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const rad = Math.PI / 180
  const dLat = (b.lat - a.lat) * rad
  const dLng = (b.lng - a.lng) * rad
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * Math.sin(dLng / 2) ** 2
  return 2 * 6_371_009 * Math.asin(Math.min(1, Math.sqrt(h)))
}
