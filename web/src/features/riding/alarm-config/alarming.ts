/** Where alarms begin: each field in words. Pure. */
import type { AlarmRules, Saying } from '../charging-config/config'

type Switched = 'isOnAbnormalMovement' | 'isOnBatteryRemoval' | 'isOfflineTicket'
type Numbered = Exclude<keyof AlarmRules, Switched>

/** Switches, and what each of them means. */
export const switches: readonly (readonly [Switched, string, string])[] = [
  ['isOnAbnormalMovement', '异常移动报警', '没有骑行和运维而被移动的车辆'],
  ['isOnBatteryRemoval', '电瓶移除报警', '不在换电而没有电池的车辆'],
  ['isOfflineTicket', '异常离线报警', '长时间没有上报的车辆'],
]

interface Group {
  title: string
  says: string
  /** Label, unit, least, most. */
  numbers: readonly (readonly [Numbered, string, string, number, number])[]
}

/** The numbers, by what they are about. */
export const groups: readonly Group[] = [
  {
    title: '异常移动',
    says: '离开停放处超过这个距离，连续这么多次上报，并持续这么久，才报警；定位误差另计。',
    numbers: [
      ['moveAlarmDistanceM', '移动距离', '米', 10, 5000],
      ['moveAlarmCount', '移动次数', '次', 1, 20],
      ['moveAlarmTimeS', '移动时长', '秒', 0, 600],
    ],
  },
  {
    title: '离线与电量',
    says: '只计算其他车辆有上报的时间：整个网关断开不会让所有车辆报警。',
    numbers: [
      ['offlineTicketJudgeMin', '离线判定时长', '分钟', 6, 1440],
      ['lowBatteryPercent', '低电阈值', '%', 1, 90],
      ['enoughBatteryPercent', '低电恢复', '%', 2, 100],
    ],
  },
  {
    title: '位置',
    says: '站点外停放只看锁着、没有人使用的车辆；停车点的缓冲距离在围栏中设置。',
    numbers: [
      ['areaBufferM', '出区缓冲', '米', 0, 5000],
      ['outsideParkingMin', '站点外停放', '分钟', 1, 1440],
    ],
  },
  {
    title: '车锁与头盔',
    says: '没有订单和运维而车锁打开，或还车后头盔不在位、头盔锁故障，持续这么久才报警。',
    numbers: [
      ['unlockedS', '异常开锁', '秒', 60, 3600],
      ['helmetMin', '头盔报警', '分钟', 1, 1440],
    ],
  },
  {
    title: '订单',
    says: '有单无程：订单已开始这么久而车辆没有离开这个距离；短时订单：同一辆车连续这么多单都不超过这个时长。',
    numbers: [
      ['noTripMin', '有单无程时长', '分钟', 1, 1440],
      ['noTripDistanceM', '有单无程距离', '米', 10, 5000],
      ['orderTooLongH', '订单超长', '小时', 1, 72],
      ['shortOrderDurationS', '短时订单时长', '秒', 10, 3600],
      ['shortOrderCount', '短时订单次数', '次', 2, 20],
    ],
  },
  {
    title: '升级',
    says: '无人确认超过这个时长的报警升级到收件箱最前；一般报警不升级。',
    numbers: [
      ['escalateUrgentMin', '紧急报警升级', '分钟', 1, 1440],
      ['escalateImportantMin', '重要报警升级', '分钟', 1, 1440],
    ],
  },
]

const numbers = groups.flatMap((group) => group.numbers)

/** Null while a number is missing. */
export function contentOf(fields: Partial<AlarmRules>): AlarmRules | null {
  return numbers.every(([key]) => typeof fields[key] === 'number') ? (fields as AlarmRules) : null
}

export const alarmSayings: readonly Saying<AlarmRules>[] = [
  ...switches.map(([key, label]): Saying<AlarmRules> => [label, (rules) => (rules[key] ? '开启' : '关闭')]),
  ...numbers.map(([key, label, unit]): Saying<AlarmRules> => [label, (rules) => `${rules[key]} ${unit}`]),
]

/** What a new version does to what is under way. */
export const effect = {
  published: '从生效时间起，该服务区的所有车辆按新配置判断；已经响起的报警按新配置恢复。',
  rolledBack: '该服务区的车辆立即按它判断',
}

/** Where a refusal is shown. */
export const alarmFieldOf = {
  'alarm-moved': 'moveAlarmDistanceM',
  'alarm-offline': 'offlineTicketJudgeMin',
  'alarm-battery': 'lowBatteryPercent',
  'alarm-place': 'outsideParkingMin',
  'alarm-device': 'unlockedS',
  'alarm-no-trip': 'noTripMin',
  'alarm-orders': 'orderTooLongH',
  'alarm-escalation': 'escalateUrgentMin',
} as const
