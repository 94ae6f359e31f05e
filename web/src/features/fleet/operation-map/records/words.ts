/** How rides and commands of a bike read, in a narrow column. Pure. */
import { commandStateLabels } from '@/api/generated/labels'
import { formatTime } from '@/kit/format'

import type { BikeCommand, BikeOrder } from '../../info/records'
import { resultWord, secondsWord } from '../commands'

/** A step of a command. */
export interface Step {
  /** Epoch ms; null: not yet, or nobody knows. */
  readonly at: number | null
  readonly text: string
  readonly tone: 'done' | 'waiting' | 'bad'
}

const PENDING = 0
const SENT = 1
const DONE = 2
const FAILED = 3
const TIMED_OUT = 4
const CANCELLED = 5

/** From being asked for to its end, as far as it got. */
export function stepsOf({ requestedAt, sentAt, ackAt, waitUntil, state, resultCode, late }: BikeCommand): Step[] {
  const steps: Step[] = [{ at: requestedAt, text: '下发', tone: 'done' }]
  if (waitUntil !== null && sentAt === null) {
    if (state === PENDING) steps.push({ at: null, text: `排队，至 ${formatTime(waitUntil).slice(5, 16)}`, tone: 'waiting' })
    if (state === TIMED_OUT) steps.push({ at: waitUntil, text: '排队时间内车辆没有上报', tone: 'bad' })
    if (state === CANCELLED) steps.push({ at: null, text: commandStateLabels[CANCELLED], tone: 'bad' })
    return steps
  }
  if (sentAt !== null) steps.push({ at: sentAt, text: waitUntil === null ? '发出' : '车辆上线，发出', tone: 'done' })
  if (state === PENDING || state === SENT) steps.push({ at: null, text: '等待应答', tone: 'waiting' })
  if (state === TIMED_OUT) steps.push({ at: null, text: '15 秒内没有应答', tone: 'bad' })
  if (ackAt !== null) {
    const after = secondsWord(ackAt - (sentAt ?? requestedAt))
    const answer = state === FAILED || (late && resultCode !== 0) ? resultWord(resultCode, '') : commandStateLabels[DONE]
    steps.push({ at: ackAt, text: `${late ? '迟到应答' : '应答'}：${answer}，用时 ${after}`, tone: state === DONE ? 'done' : 'bad' })
  }
  return steps
}

/** `骑行 12 分钟，2.3 公里`, or how it stands. */
export function rideText({ startAt, ridingS, distanceM, areaName }: Pick<BikeOrder, 'startAt' | 'ridingS' | 'distanceM' | 'areaName'>): string {
  if (startAt === null) return `${areaName} · 没有骑行`
  return `${areaName} · ${Math.round(ridingS / 60)} 分钟，${(distanceM / 1000).toFixed(1)} 公里`
}
