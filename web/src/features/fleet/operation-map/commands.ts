/** What can be sent to a bike from the map, in words, and how the answer reads. */
import type { VehicleCommand } from './vehicle'

export type CommandName = 'lock' | 'unlock' | 'ring' | 'powerOn' | 'powerOff' | 'openBattery' | 'reboot'

export interface CommandChoice {
  readonly name: CommandName
  readonly label: string
  /** Permission to see the button. */
  readonly need: string
  /** The consequence in words; without one the command is sent at once. */
  readonly consequence: string
  /** Whether a reason must be given. */
  readonly reasoned: boolean
  readonly danger?: boolean
}

const LOCK = '0301||0305'
const OTHER = '0305'

export const commandChoices: readonly CommandChoice[] = [
  { name: 'lock', label: '关锁', need: LOCK, consequence: '车辆将上锁断电。若正在骑行，设备会拒绝。', reasoned: false },
  { name: 'unlock', label: '开锁', need: LOCK, consequence: '车辆将不经订单解锁，任何人都可以骑走，操作会记入日志。', reasoned: true, danger: true },
  { name: 'ring', label: '寻车铃', need: OTHER, consequence: '', reasoned: false },
  { name: 'powerOn', label: '通电', need: OTHER, consequence: '车辆将通电，可被推动和骑行。', reasoned: true, danger: true },
  { name: 'powerOff', label: '断电', need: OTHER, consequence: '电机将断电。若车辆正在行驶，骑行者会失去动力。', reasoned: true, danger: true },
  { name: 'openBattery', label: '开电池仓', need: OTHER, consequence: '电池仓锁将打开，电池可被取走。', reasoned: true, danger: true },
  { name: 'reboot', label: '重启', need: OTHER, consequence: '中控将重启，约一分钟内不在线。', reasoned: false },
]

const kindWords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(commandChoices.map((choice) => [choice.name, choice.label])),
  power_on: '通电', power_off: '断电', open_battery: '开电池仓',
  1: '开锁', 2: '关锁', 3: '设防', 4: '撤防', 5: '通电', 6: '断电', 7: '后轮锁', 8: '开电池仓', 9: '头盔锁', 10: '寻车铃',
  11: '语音', 12: '重启', 13: '限速', 14: '参数', 15: '围栏下发', 16: '固件升级', 17: '语音包', 18: '临时通电',
}

export function kindWord(kind: string | number): string {
  return kindWords[String(kind)] ?? '指令'
}

const resultWords: Readonly<Record<number, string>> = {
  108: '设备无应答', 109: '设备离线', 111: '设备不支持', 113: '未设置电池类型', 114: '参数错误', 115: '参数错误',
  132: '车辆正在行驶或骑行，拒绝关锁', 136: '未检测到道钉', 1001: '不属于本代理商',
}

/** A command this page has sent, as far as the answer to the call tells. */
export interface SentCommand {
  readonly carId: string
  readonly commandId: string
  readonly name: CommandName
  /** Server time, epoch ms. */
  readonly sentAt: number
}

export type AckTone = 'waiting' | 'good' | 'bad' | 'late'

/** The acknowledgement line. */
export interface AckLine {
  readonly tone: AckTone
  readonly what: string
  readonly outcome: string
  readonly seconds: string
  readonly detail: string
}

/** Nothing was heard of the command for so long: the bike's answer limit of 15 s and some more. */
const SILENT_AFTER_MS = 20_000

/**
 * What the line says at server time `now`: of the command just sent here, or else of the last one
 * that the bike tells of.
 */
export function ackLine(sent: SentCommand | null, told: VehicleCommand | null, now: number): AckLine | null {
  if (sent !== null && told?.id !== sent.commandId) {
    const waited = now - sent.sentAt
    if (waited > SILENT_AFTER_MS) {
      return { tone: 'late', what: kindWord(sent.name), outcome: '未收到结果', seconds: secondsWord(waited), detail: '连接恢复后会补上结果' }
    }
    return { tone: 'waiting', what: kindWord(sent.name), outcome: '已下发', seconds: secondsWord(waited), detail: '' }
  }
  if (told === null) return null
  const what = kindWord(sent?.name ?? told.kind)
  const begun = told.sentAt ?? sent?.sentAt ?? now
  const took = secondsWord((told.ackAt ?? now) - begun)
  switch (told.state) {
    case 0:
      return { tone: 'waiting', what, outcome: '待下发', seconds: took, detail: by(told) }
    case 1:
      return { tone: 'waiting', what, outcome: '已下发', seconds: took, detail: by(told) }
    case 2:
      return { tone: 'good', what, outcome: '成功', seconds: took, detail: by(told) }
    case 3:
      return { tone: 'bad', what, outcome: '失败', seconds: took, detail: resultWord(told) }
    case 4:
      return { tone: 'bad', what, outcome: '超时', seconds: '', detail: '设备在限定时间内没有应答' }
    default:
      return { tone: 'late', what, outcome: '已取消', seconds: '', detail: by(told) }
  }
}

/** A reason of the command's own wins over the general word for its code. */
function resultWord(told: VehicleCommand): string {
  const code = told.resultCode
  if (code === null) return told.reason ?? ''
  return resultWords[code] ?? `设备返回 ${code}`
}

function by(told: VehicleCommand): string {
  return told.by ? `由 ${told.by}` : ''
}

function secondsWord(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  return seconds < 10 ? `${seconds.toFixed(1)} 秒` : `${Math.round(seconds)} 秒`
}
