/** What can be sent to a bike from the map, in words, and how the answer reads. */
import { commandKindLabels, commandStateLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { formatTime } from '@/kit/format'
import type { VehicleCommand } from './vehicle'

type CommandKind = VehicleCommand['kind']

export type CommandName = 'lock' | 'unlock' | 'ring' | 'powerOn' | 'powerOff' | 'openBattery' | 'reboot'

export interface CommandChoice {
  readonly name: CommandName
  readonly kind: CommandKind
  /** Permission to see the button. */
  readonly need: string
  /** The consequence in words; without one the command is sent at once. */
  readonly consequence: string
  /** Whether a reason must be given. */
  readonly reasoned: boolean
  readonly danger?: boolean
  /** Whether it may wait for a bike that is away. */
  readonly waits?: boolean
}

/** How long a command may wait for a bike that is away, minutes. */
export const waitChoices = [60, 480, 1440].map((minutes) => ({ value: minutes, label: `排队，${minutes / 60} 小时内上线后下发` }))
export const WAIT_MINUTES = 480

const momentText = (at: number) => formatTime(at).slice(5, 16)

const LOCK = '0301||0305'
const OTHER = '0305'

export const commandChoices: readonly CommandChoice[] = [
  { name: 'lock', kind: 2, need: LOCK, consequence: '车辆将上锁断电。若正在骑行，设备会拒绝。', reasoned: false, waits: true },
  { name: 'unlock', kind: 1, need: LOCK, consequence: '车辆将不经订单解锁，任何人都可以骑走，操作会记入日志。', reasoned: true, danger: true },
  { name: 'ring', kind: 10, need: OTHER, consequence: '', reasoned: false },
  { name: 'powerOn', kind: 5, need: OTHER, consequence: '车辆将通电，可被推动和骑行。', reasoned: true, danger: true },
  { name: 'powerOff', kind: 6, need: OTHER, consequence: '电机将断电。若车辆正在行驶，骑行者会失去动力。', reasoned: true, danger: true, waits: true },
  { name: 'openBattery', kind: 8, need: OTHER, consequence: '电池仓锁将打开，电池可被取走。', reasoned: true, danger: true },
  { name: 'reboot', kind: 12, need: OTHER, consequence: '中控将重启，约一分钟内不在线。', reasoned: false, waits: true },
]

/** What was asked: by the number that the bike tells of, or by the name it was sent under. */
export function kindWord(kind: CommandKind | CommandName): string {
  const number = typeof kind === 'number' ? kind : commandChoices.find(({ name }) => name === kind)?.kind
  return labelOf(commandKindLabels, number)
}

const resultWords: Readonly<Record<number, string>> = {
  108: '设备无应答', 109: '设备离线', 111: '设备不支持', 113: '未设置电池类型', 114: '参数错误', 115: '参数错误', 116: '固件下载失败或校验不符',
  132: '车辆正在行驶或骑行，拒绝关锁', 136: '未检测到道钉', 1001: '不属于本代理商',
}

/** A command this page has sent, as far as the answer to the call tells. */
export interface SentCommand {
  readonly carId: string
  readonly commandId: string
  readonly name: CommandName
  /** Server time, epoch ms. */
  readonly sentAt: number
  /** 排队: it waits for the bike to come back. */
  readonly waits: boolean
}

export type AckTone = 'waiting' | 'good' | 'bad' | 'late'

/** The acknowledgement line. */
export interface AckLine {
  readonly tone: AckTone
  readonly what: string
  readonly outcome: string
  readonly seconds: string
  readonly detail: string
  /** What may be tried again: it failed, or nobody answered. */
  readonly again?: CommandChoice
}

const choiceOf = (kind: CommandKind): { again: CommandChoice } | undefined => {
  const again = commandChoices.find((choice) => choice.kind === kind)
  return again && { again }
}

/** Nothing was heard of the command for so long: the bike's answer limit of 15 s and some more. */
const SILENT_AFTER_MS = 20_000

/**
 * What the line says at server time `now`: of the command just sent here, or else of the last one
 * that the bike tells of.
 */
export function ackLine(sent: SentCommand | null, told: VehicleCommand | null, now: number): AckLine | null {
  if (sent !== null && told?.id !== sent.commandId) {
    if (sent.waits) return { tone: 'late', what: kindWord(sent.name), outcome: '排队中', seconds: '', detail: '车辆上报后下发' }
    const waited = now - sent.sentAt
    if (waited > SILENT_AFTER_MS) {
      return { tone: 'late', what: kindWord(sent.name), outcome: '未收到结果', seconds: secondsWord(waited), detail: '连接恢复后会补上结果' }
    }
    return { tone: 'waiting', what: kindWord(sent.name), outcome: commandStateLabels[1], seconds: secondsWord(waited), detail: '' }
  }
  if (told === null) return null
  const what = kindWord(sent?.name ?? told.kind)
  const begun = told.sentAt ?? sent?.sentAt ?? now
  const took = secondsWord((told.ackAt ?? now) - begun)
  const outcome = commandStateLabels[told.state]
  switch (told.state) {
    case 0:
      if (isWaiting(told)) return { tone: 'late', what, outcome: '排队中', seconds: '', detail: joined(`车辆上报后下发，至 ${momentText(told.waitUntil)}`, by(told)) }
      return { tone: 'waiting', what, outcome, seconds: took, detail: by(told) }
    case 1:
      return { tone: 'waiting', what, outcome, seconds: took, detail: by(told) }
    case 2:
      return { tone: 'good', what, outcome, seconds: took, detail: by(told) }
    case 3:
      return { tone: 'bad', what, outcome, seconds: took, detail: resultWord(told.resultCode, told.reason), ...choiceOf(told.kind) }
    case 4:
      return { tone: 'bad', what, outcome, seconds: '', detail: told.sentAt === null ? '排队时间内车辆没有上报' : '设备在限定时间内没有应答', ...choiceOf(told.kind) }
    default:
      return { tone: 'late', what, outcome, seconds: '', detail: by(told) }
  }
}

/** Whether it waits for its bike to come back. */
export const isWaiting = <Told extends { state: number; waitUntil?: number | null }>(told: Told): told is Told & { waitUntil: number } =>
  told.state === 0 && typeof told.waitUntil === 'number'

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('，')

/** What a device answered, in words; `otherwise` where it gave no code. */
export function resultWord(code: number | null, otherwise: string): string {
  if (code === null) return otherwise
  return resultWords[code] ?? `设备返回 ${code}`
}

function by(told: VehicleCommand): string {
  return told.by ? `由 ${told.by}` : ''
}

/** How long something took: tenths of a second count below ten. */
export function secondsWord(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  return seconds < 10 ? `${seconds.toFixed(1)} 秒` : `${Math.round(seconds)} 秒`
}
