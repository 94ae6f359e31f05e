import type { DataOf } from '@/api/shapes'

/**
 * One bike as the drawer shows it: the data of `GET /vehicle/{carId}` and of the topic `vehicle/<carId>`. Times are
 * epoch ms; what the bike never reported is null.
 */
export type Vehicle = Readonly<DataOf<'/vehicle/{carId}'>>

/** The newest command: state 0 pending, 1 sent, 2 done, 3 failed, 4 timed out, 5 cancelled. */
export type VehicleCommand = Readonly<NonNullable<Vehicle['command']>>

/** A report out of a bike's history. */
export type HistoryPoint = Readonly<DataOf<'/vehicle/{carId}/history'>['points'][number]>

const lifecycles = ['待入库', '在库', '已上架', '已下架', '返厂维修', '丢失', '报废']
const ridings: Readonly<Record<number, string>> = { 1: '待使用', 2: '骑行中', 3: '临停', 4: '预约中', 5: '运维中' }
const operations: Readonly<Record<number, string>> = { 1: '下架', 2: '挪车中', 3: '换电中', 4: '低电', 5: '报修', 6: '拖回' }
const alarms: Readonly<Record<number, string>> = {
  2: '异常移动', 3: '出服务区', 4: '禁停区', 5: '站点外', 6: '电瓶移除', 7: '异常离线', 8: '有单无程',
  9: '报失', 10: '订单超长', 11: '短时订单', 12: '异常开锁', 13: '头盔丢失', 14: '头盔故障',
}

export const lifecycleWord = (value: number): string => lifecycles[value] ?? '未知'
export const ridingWord = (value: number): string => ridings[value] ?? '未知'
export const operationWord = (value: number): string => operations[value] ?? `运维 ${value}`
export const alarmWord = (value: number): string => alarms[value] ?? `告警 ${value}`

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

/** The newer of what was asked and what was pushed about the same bike. */
export function newer(asked: Vehicle | undefined, pushed: Vehicle | null): Vehicle | null {
  if (asked === undefined) return pushed
  if (pushed === null || pushed.carId !== asked.carId) return asked
  return pushed.version >= asked.version && (pushed.reportAt ?? 0) >= (asked.reportAt ?? 0) ? pushed : newerCommand(asked, pushed)
}

/** Telemetry and decisions travel on different ways: an older push may still carry the newer command. */
function newerCommand(asked: Vehicle, pushed: Vehicle): Vehicle {
  const later = (pushed.command?.sentAt ?? 0) > (asked.command?.sentAt ?? 0) || (pushed.command?.state ?? 0) > (asked.command?.state ?? 0)
  if (pushed.version > asked.version) return pushed
  return later ? { ...asked, command: pushed.command } : asked
}

/** Metres between two places, along the great circle. */
export function distance_m(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const rad = Math.PI / 180
  const dLat = (b.lat - a.lat) * rad
  const dLng = (b.lng - a.lng) * rad
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * Math.sin(dLng / 2) ** 2
  return 2 * 6_371_009 * Math.asin(Math.min(1, Math.sqrt(h)))
}
