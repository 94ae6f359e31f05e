/** How rides end: each field in words. Pure. */
import { effectLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import type { ReturnRules, Saying } from './config'

/** Switches, and what each of them means. */
export const switches = [
  ['outsideAllowed', '允许站点外还车', '收取调度费；关闭时拒绝还车并指引最近的站点'],
  ['noStopAllowed', '允许禁停区还车', '收取禁停、禁行区费用；关闭时拒绝还车'],
  ['outOfServiceAllowed', '允许服务区外还车', '收取服务区外费用；关闭时拒绝还车'],
  ['fullClosed', '满桩禁停', '停满的站点不再接受还车'],
  ['otherAreasUsed', '借用其他站点', '可以还到同一代理其他服务区的站点'],
  ['powerOff', '出区断电', '骑出服务区后电机停止助力'],
  ['helmetLock', '头盔锁', '还车时头盔须锁回车上'],
  ['helmetPhoto', '头盔拍照', '还车时拍照证明头盔在车上'],
  ['mannersReminded', '文明停车提醒', '还车前提示停放要求'],
] as const satisfies readonly (readonly [keyof ReturnRules, string, string])[]

/** Proofs of a good return. */
export const proofs = [
  ['beacon', '蓝牙道钉'],
  ['rfid', '射频识别'],
  ['direction', '定向停车'],
  ['kickstand', '脚撑检测'],
  ['camera', '摄像头'],
] as const satisfies readonly (readonly [keyof ReturnRules, string])[]

/** How much each evidence of a return counts: label, unit, least, most. */
export const weights = [
  ['fixDm', '车辆定位误差', '分米', 1, 1000],
  ['reflectedPercent', '定位受反射的比例', '%', 1, 90],
  ['reflectedDm', '受反射时的误差', '分米', 1, 1000],
  ['phoneDm', '手机定位误差', '分米', 1, 1000],
  ['phoneReflectedPercent', '手机受反射的比例', '%', 1, 90],
  ['phoneReflectedDm', '手机受反射时的误差', '分米', 1, 1000],
  ['phoneFarDm', '手机离车多远不作证', '分米', 1, 1000],
  ['beacon', '权重：听到道钉', '', 0, 1200],
  ['rfid', '权重：读到射频标签', '', 0, 1200],
  ['direction', '权重：方向一致', '', 0, 1200],
  ['kickstand', '权重：脚撑放下', '', 0, 1200],
  ['cameraGood', '权重：照片规范', '', 0, 1200],
  ['cameraBad', '权重：照片不规范', '', 0, 1200],
  ['helmet', '权重：头盔', '', 0, 1200],
  ['missing', '权重：缺少凭证', '', 0, 1200],
  ['witness', '权重达到多少算一项佐证', '', 0, 1200],
] as const satisfies readonly (readonly [keyof ReturnRules['certainty'], string, string, number, number])[]

const yes = (value: boolean) => (value ? '是' : '否')

export const returnSayings: readonly Saying<ReturnRules>[] = [
  ...switches.map(([key, label]): Saying<ReturnRules> => [label, (rules) => yes(rules[key])]),
  ...proofs.map(([key, label]): Saying<ReturnRules> => [label, (rules) => labelOf(effectLabels, rules[key])]),
  ['摄像头角度', ({ cameraAngleDegrees }) => `${cameraAngleDegrees}°`],
  ['免罚次数', ({ cameraImpunityCount }) => `${cameraImpunityCount} 次`],
  ['扣费确定度', ({ certainty }) => `${certainty.chargeFromPercent}%`],
  ...weights.map(([key, label, unit]): Saying<ReturnRules> => [label, ({ certainty }) => `${certainty[key]}${unit && ` ${unit}`}`]),
]

export const returnFieldOf = { 'return-angle': 'cameraAngleDegrees', 'return-impunity': 'cameraImpunityCount' } as const
