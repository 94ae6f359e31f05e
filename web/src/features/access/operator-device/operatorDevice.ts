import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '@/api/client'
import { deviceKindLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf } from '@/kit/choice'

export const DEVICES_PATH = '/mieba/v2/platform/opman/device'

/** A device that someone signs in from, or wants to. */
export type OperatorDevice = DataOf<'/mieba/v2/platform/opman/device/authorize_info'>['list'][number]

/** Where a device stands. */
export const WAITING = 0
export const BOUND = 1
export const REMOVED = 2

/** The server shows the newest so many. */
export const LIST_MAX = 200

export const kindText = (kind: number) => labelOf(deviceKindLabels, kind)

/** Devices of everybody in scope: they wait, are bound or were removed. */
export const allDevices = queryOptions({
  queryKey: [DEVICES_PATH, 'all'],
  queryFn: ({ signal }) => api.get(`${DEVICES_PATH}/authorize_info`, {}, { signal }),
  select: ({ list }) => list,
})

/** Devices of one person. */
export const devicesOf = (phone: string) =>
  queryOptions({
    queryKey: [DEVICES_PATH, 'of', phone],
    queryFn: ({ signal }) => api.get(`${DEVICES_PATH}/login_info`, { mobilePhoneNumber: phone }, { signal }),
    select: ({ list }) => list,
  })

/** Those that wait first, then those in use, then the removed; each newest first. */
export function inOrder(devices: readonly OperatorDevice[]): OperatorDevice[] {
  return devices.toSorted((a, b) => a.state - b.state || b.requestedAt - a.requestedAt)
}

/** Those that wait for an administrator, the one that waits longest first. */
export function waiting(devices: readonly OperatorDevice[]): OperatorDevice[] {
  return devices.filter((device) => device.state === WAITING).toSorted((a, b) => a.requestedAt - b.requestedAt)
}

export function confirmDevice(id: string, options: CallOptions): Promise<unknown> {
  return api.post(`${DEVICES_PATH}/authorize_confirm`, { id }, options)
}

export function removeDevice(id: string, options: CallOptions): Promise<unknown> {
  return api.post(`${DEVICES_PATH}/authorize_remove`, { id }, options)
}
