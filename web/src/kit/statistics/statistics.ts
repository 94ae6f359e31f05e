/** Figures of a statistics page as data, and how they read. Pure. */
import { EMPTY } from '../format'

/** A figure of the time that was asked for, and what it was in the time before; null where nobody knows. */
export interface Figure {
  now: number | null
  before: number | null
}

/** Where a figure comes from, in a sentence or a formula: 口径. */
interface Told {
  key: string
  title: string
  unit?: string
  formula: string
}

/** A figure above all others. */
export interface Card<Answer> extends Told {
  /** A number alone is one of now, which is compared with nothing. */
  figure(answer: Answer): Figure | number
}

/** A line of the trend. */
export interface Line<Point> extends Told {
  value(point: Point): number | null
  /** Percent have an axis of their own, at the right. */
  percent?: boolean
}

export interface Ranked {
  id: string
  name: string
  value: number
}

/** Who leads. */
export interface Ranking<Answer> extends Told {
  rows(answer: Answer): readonly Ranked[]
}

export interface Part {
  label: string
  color: string
  value: number
}

/** What a whole consists of. */
export interface Share<Answer> extends Told {
  parts(answer: Answer): readonly Part[]
}

/** A stretch of time, epoch ms; the end is no longer part of it. */
export interface Stretch {
  from: number
  until: number
}

/** What all figures of a page are of. */
export interface Scope {
  range: Stretch
  before: Stretch
  /** Whose, in words. */
  areas: string
  /** Reckoned until then, epoch ms; null before the first time. */
  reckonedAt: number | null
  /** What is now was so then, epoch ms; null where nothing is of now. */
  liveAt: number | null
}

/** A statistics page as data. */
export interface Statistics<Answer, Point> {
  cards: readonly Card<Answer>[]
  trend: {
    title: string
    points(answer: Answer): readonly Point[]
    /** Epoch ms. */
    at(point: Point): number
    /** Whether a point is an hour; otherwise a day. */
    byHour(answer: Answer): boolean
    lines: readonly Line<Point>[]
  }
  rankings: readonly Ranking<Answer>[]
  shares: readonly Share<Answer>[]
}

const SHANGHAI_MS = 8 * 3_600_000

/** With thousands apart and at most two decimals, of which yuan always have both; its unit stands elsewhere. */
export function numberText(value: number | null, unit = ''): string {
  if (value === null) return EMPTY
  return value.toLocaleString('zh-CN', { minimumFractionDigits: unit === '元' ? 2 : 0, maximumFractionDigits: 2 })
}

/** The same, percent with their sign. */
export function written(value: number | null, unit = ''): string {
  return `${numberText(value, unit)}${value !== null && unit === '%' ? '%' : ''}`
}

export interface Change {
  /** 1 more, -1 less, 0 the same. */
  way: -1 | 0 | 1
  /** `较前期 +12.3%`; of percentages how many points. */
  text: string
}

/** How a figure changed against the time before; null where it cannot be said. */
export function changeOf({ now, before }: Figure, unit = ''): Change | null {
  if (now === null || before === null) return null
  const way = Math.sign(now - before) as -1 | 0 | 1
  if (way === 0) return { way, text: '与前期持平' }
  const sign = way > 0 ? '+' : '−'
  if (unit === '%') return { way, text: `较前期 ${sign}${written(Math.abs(now - before))} 个百分点` }
  if (before === 0) return { way, text: `较前期 ${sign}${written(Math.abs(now), unit)}` }
  return { way, text: `较前期 ${sign}${written(Math.abs(((now - before) / before) * 100))}%` }
}

const local = (at_ms: number) => new Date(at_ms + SHANGHAI_MS).toISOString()

/** `11-23 15:00`, or of a day `11-23`. */
export function pointName(at_ms: number, byHour: boolean): string {
  return local(at_ms).slice(5, byHour ? 16 : 10).replace('T', ' ')
}

/** `2026-11-17 00:00 至 2026-11-23 15:00`; days are Shanghai's. */
export function stretchText({ from, until }: Stretch): string {
  const minute = (at_ms: number) => local(at_ms).slice(0, 16).replace('T', ' ')
  return `${minute(from)} 至 ${minute(until)}`
}

/** Shares in percent with one decimal; of nothing all are 0. */
export function percentOf(value: number, parts: readonly Part[]): number {
  const whole = parts.reduce((sum, part) => sum + part.value, 0)
  return whole === 0 ? 0 : Math.round((value / whole) * 1000) / 10
}
