import { ridingStateLabels } from '@/api/generated/labels'
import type { Role } from './role'

export type ViewConfig = Role['viewConfig']
type NumberRange = ViewConfig['carRanges'][number]

/** At most so many ranges in a role. */
export const RANGES_MAX = 20
/** And so many voltage schemes. */
export const SCHEMES_MAX = 20
/** A range as it is typed: one number, or two of the same length in order. */
const RANGE = /^([\w-]+)(?:\s*[~～–—至]\s*([\w-]+))?$/

/** The range that a text tells; `undefined` when it tells none. */
export function rangeOf(text: string): NumberRange | undefined {
  const [, from, to = from] = RANGE.exec(text.trim()) ?? []
  return from !== undefined && to !== undefined && from.length === to.length && from <= to ? { from, to } : undefined
}

export function rangeText({ from, to }: NumberRange): string {
  return from === to ? from : `${from}~${to}`
}

export const ridingStates = Object.entries(ridingStateLabels).map(([value, label]) => ({ value: Number(value), label }))

/** What a role shows, in a few words. */
export function sightText({ carRanges, ridingStates: shown, voltageSchemeIds }: ViewConfig): string {
  const states = ridingStates.filter(({ value }) => shown.includes(value)).map(({ label }) => label)
  const schemes = voltageSchemeIds.length > 0 ? [`${voltageSchemeIds.length} 个电压方案`] : []
  const parts = [...carRanges.map(rangeText), ...states, ...schemes]
  return parts.length === 0 ? '全部' : parts.join('、')
}
