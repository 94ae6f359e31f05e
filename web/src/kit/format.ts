/** How values read, everywhere. */

/** For an empty date-time or a value of two parts. */
export const EMPTY_TIME = '-- --'
/** For any other empty value. */
export const EMPTY = '--'

const SHANGHAI_MS = 8 * 60 * 60 * 1000

/** `YYYY-MM-DD HH:mm:ss` in Asia/Shanghai, which knows no summer time; epoch ms in. */
export function formatTime(time_ms: number | null | undefined): string {
  if (time_ms === null || time_ms === undefined || !Number.isFinite(time_ms)) return EMPTY_TIME
  return new Date(time_ms + SHANGHAI_MS).toISOString().slice(0, 19).replace('T', ' ')
}

const HOUR_MS = 3_600_000

/** How long, in whole hours: `2 天 3 小时`, `5 小时`, `不足 1 小时`. */
export function spanText(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS)
  if (hours < 1) return '不足 1 小时'
  const days = Math.floor(hours / 24)
  const rest = hours % 24
  return [days > 0 ? `${days} 天` : '', rest > 0 ? `${rest} 小时` : ''].filter(Boolean).join(' ')
}

/** Cents as yuan with two decimals and separated thousands; never through floating point. */
export function formatMoney(cents: number | string | null | undefined): string {
  if (cents === null || cents === undefined || cents === '') return EMPTY
  const value = BigInt(cents)
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0')
  const yuan = digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${value < 0n ? '-' : ''}${yuan}.${digits.slice(-2)}`
}

/** Ten-thousandths as a percentage. */
export function formatPercent(bp: number): string {
  return `${(bp / 100).toFixed(2).replace(/\.?0+$/, '')}%`
}

/** Cents as somebody types them in yuan: no separators, and no more decimals than it takes. */
export function typedMoney(cents: bigint): string {
  return formatMoney(String(cents)).replaceAll(',', '').replace(/\.?0+$/, '')
}

/** Cents of an amount in yuan with two decimals at most; null for anything else. */
export function parseMoney(yuan: string): bigint | null {
  const parts = /^(\d{1,15})(?:\.(\d{1,2}))?$/.exec(yuan.trim())
  return parts ? BigInt((parts[1] ?? '') + (parts[2] ?? '').padEnd(2, '0')) : null
}

/** A number without the noughts that its precision would end it in: 15, not 15.00. What is being typed stays as it is. */
export function bare(value: string | number | undefined, { userTyping, input }: { userTyping: boolean; input: string }): string {
  const text = String(value ?? '')
  if (userTyping) return input
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
