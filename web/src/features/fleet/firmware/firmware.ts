import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'

export const FIRMWARE_PATH = '/production/upgrade'
export const CHOICES_PATH = '/device/firmware'

/** What a change of a package makes stale. */
export const stale = [[FIRMWARE_PATH], [CHOICES_PATH]] as const

/** A package of firmware as lists and its drawer show it. */
export type Firmware = DataOf<'/production/upgrade/{id}'>

export const firmwareInfo = (id: string) =>
  queryOptions({
    queryKey: [FIRMWARE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${FIRMWARE_PATH}/{id}`, {}, { path: { id }, signal }),
  })

/** Packages that bikes may be upgraded to, the newest first. */
export const firmwareChoices = queryOptions({
  queryKey: [CHOICES_PATH],
  queryFn: async ({ signal }) => (await api.get(CHOICES_PATH, {}, { signal })).rows,
})

/** What a bike's device is, as far as it told. */
export interface About {
  model?: string | null
  firmware?: string | null
}

/**
 * How many of `bikes` each package is for: of its model, and not run already. Those that fit none are left out. Of bikes that a page
 * knows by their numbers alone nothing is known (null): any package may fit them.
 */
export function fitting<Package extends { model: string; firmware: string }>(
  packages: readonly Package[],
  bikes: readonly About[],
): { package: Package; bikes: number | null }[] {
  if (bikes.some(({ model }) => model === undefined)) return packages.map((one) => ({ package: one, bikes: null }))
  return packages
    .map((one) => ({ package: one, bikes: bikes.filter(({ model, firmware }) => model === one.model && firmware !== one.firmware).length }))
    .filter(({ bikes: count }) => count > 0)
}

const KB = 1024

/** Bytes as people say them: 812 B, 512 KB, 1.5 MB. */
export function sizeText(bytes: number): string {
  if (bytes < KB) return `${bytes} B`
  if (bytes < KB * KB) return `${Math.round(bytes / KB)} KB`
  return `${(bytes / KB / KB).toFixed(1)} MB`
}

/** What a device may say it is, and what runs on it. */
export const PLAIN = /^[A-Za-z0-9._+-]{1,32}$/
export const ADDRESS = /^https?:\/\/[A-Za-z0-9[][!-~]*$/
export const MD5 = /^[0-9A-Fa-f]{32}$/
export const SIZE_MAX = 64 * KB * KB
