/** What can be done with bikes, one and many, in words. Pure. */
import { commandKindLabels, keepActLabels } from '@/api/generated/labels'
import type { BodyOf } from '@/api/shapes'
import { labelOf } from '@/kit/choice'

export const KEEP = '/vehicle/keep'
export const COMMANDS = '/device/command/batch'

export type KeepBody = BodyOf<typeof KEEP>
export type KeepNumber = KeepBody['act']
export type CommandNumber = BodyOf<typeof COMMANDS>['kind']

/** A bike as acts know it. */
export interface Kept {
  carId: string
  /** 型号 and 固件 of its device, as far as it told. */
  model?: string | null
  firmware?: string | null
}

export const REASON_MAX = 100
/** Bikes of one call. */
export const AT_ONCE = 200
/** Bikes of one act. */
export const BIKES_MAX = 5000

const MAY_KEEP = '0301||0302||0307'
const MAY_COMMAND = '0301||0305'

interface ActWords {
  key: string
  /** As on its button, and in `已上架`. */
  label: string
  /** What one needs to do it. */
  code: string
  /** What follows, in words. */
  consequence: string
  danger?: boolean
  /** What is typed with it; absent: nothing. */
  reason?: { label: string; placeholder: string; max: number }
  /** Asked for in a dialog of its own first. */
  form?: 'area' | 'tags' | 'device' | 'wait' | 'scheme' | 'firmware'
  /** Of one bike alone. */
  single?: boolean
  /** Behind 更多操作. */
  seldom?: boolean
}

export type Act = ActWords & ({ keep: KeepNumber } | { command: CommandNumber })

const why = (placeholder: string) => ({ label: '原因', placeholder, max: REASON_MAX })

const kept = (keep: KeepNumber, words: Omit<ActWords, 'key' | 'label' | 'code'> & { code?: string }): Act => ({
  key: `keep-${keep}`,
  label: labelOf(keepActLabels, keep),
  code: MAY_KEEP,
  keep,
  ...words,
})

const told = (command: CommandNumber, words: Omit<ActWords, 'key' | 'label' | 'code'> & { label?: string }): Act => ({
  key: `command-${command}`,
  label: labelOf(commandKindLabels, command),
  code: MAY_COMMAND,
  command,
  ...words,
})

/** In the order of their buttons. */
export const acts: readonly Act[] = [
  kept(1, { consequence: '在库且已绑定中控、15 分钟内定位在运营中的所属服务区内的车辆投放到街面；服务区有投放配额时不会超出。不符合的逐辆说明原因。' }),
  kept(2, { consequence: '车辆不再可租，等待入库、返厂或报废；有未结束订单或预约的车辆不能下架。', reason: why('如：集中检修、活动保障') }),
  kept(3, { consequence: '已下架或返厂的车辆回到库存，之后可以重新上架。' }),
  kept(9, { consequence: '标签用于筛选，每辆车最多 10 个。', form: 'tags' }),
  kept(12, { consequence: '车辆详情按方案显示推算的电量和剩余里程，并可按方案筛选；不选方案即取消已有的方案。', form: 'scheme' }),
  told(10, { consequence: '在线的车辆响铃；每辆车每分钟最多 10 次，5 分钟内超过 30 次则 24 小时内不能再用。' }),
  told(2, { consequence: '车辆上锁断电；正在骑行的车辆会拒绝。', form: 'wait' }),
  told(12, { consequence: '中控重启，约一分钟内不在线。', form: 'wait', seldom: true }),
  told(16, { label: '升级固件', consequence: '中控下载并核对固件后重启，几分钟内不在线；新版本以设备重新上报的为准。', form: 'firmware', seldom: true }),
  kept(5, { consequence: '车辆标记为丢失并产生“报失”报警，不再可租；找回后回到报失前的状态。', danger: true, reason: why('如：连续三天未找到'), seldom: true }),
  kept(6, { consequence: '车辆回到报失前的状态，“报失”报警解除。', seldom: true }),
  kept(8, { consequence: '车辆连同中控移交到同一代理的另一个服务区；已上架的车辆请先下架。', form: 'area', reason: why('如：支援旺季'), seldom: true }),
  kept(4, { consequence: '已下架的车辆登记为返厂维修，修好后入库。', reason: why('如：车架变形'), seldom: true }),
  kept(10, { consequence: '中控绑定到该车，之后的上报归这辆车。', form: 'device', single: true, seldom: true }),
  kept(11, { consequence: '中控从车上解下；正在使用中的已上架车辆不能解绑。', danger: true, reason: why('如：更换中控'), seldom: true }),
  kept(7, { consequence: '报废后不能恢复，中控解绑；只有已下架或丢失的车辆可以报废。', danger: true, reason: why('如：车架断裂'), code: '1103', seldom: true }),
]

/** What a form of its own says with an act. */
export interface Said {
  areaId?: string
  addTags?: string[]
  removeTags?: string[]
  imei?: string
  /** The voltage scheme that bikes get; null: they have none any more. */
  voltageSchemeId?: string | null
  /** The package of firmware. */
  firmwareId?: string
  /** So long a command waits for bikes that are away, minutes; null: it does not. */
  waitMinutes?: number | null
}

/** What the server is told. */
export const keepBody = (carIds: string[], act: KeepNumber, reason: string, said: Said): KeepBody => ({
  carIds,
  act,
  reason,
  areaId: said.areaId ?? null,
  addTags: said.addTags ?? [],
  removeTags: said.removeTags ?? [],
  imei: said.imei ?? null,
  voltageSchemeId: said.voltageSchemeId ?? null,
})

const TAG_MAX = 12

/** Why these are no tags; null when they are. */
export function tagFault(tags: readonly string[]): string | null {
  const wrong = tags.find((tag) => tag.trim() === '' || tag.trim().length > TAG_MAX || /[,，]/.test(tag))
  return wrong === undefined ? null : `标签“${wrong}”需 1 到 ${TAG_MAX} 个字，不能含逗号`
}
