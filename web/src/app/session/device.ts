import { uuid } from '@/api/bytes'

const DEVICE_CODE = 'device_code'

/** The random id of this browser; made once and kept. */
export function deviceCode(): string {
  const known = localStorage.getItem(DEVICE_CODE)
  if (known) return known
  const fresh = uuid()
  localStorage.setItem(DEVICE_CODE, fresh)
  return fresh
}

const browsers: readonly [string, RegExp][] = [
  ['Edge', /Edg\/(\d+)/],
  ['Firefox', /Firefox\/(\d+)/],
  ['Chrome', /Chrome\/(\d+)/],
  ['Safari', /Version\/(\d+).*Safari/],
]
const systems: readonly [string, RegExp][] = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
]

/** What an administrator sees of this browser, such as `Chrome 120 · Windows`. */
export function deviceName(userAgent: string): string {
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))
  const version = browser ? browser[1].exec(userAgent)?.[1] : undefined
  const system = systems.find(([, pattern]) => pattern.test(userAgent))
  return `${browser ? `${browser[0]} ${version ?? ''}`.trim() : '浏览器'} · ${system?.[0] ?? '未知系统'}`
}
