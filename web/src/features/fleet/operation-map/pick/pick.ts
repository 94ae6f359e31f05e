/** What an operator picks beyond the legend: in the address, on the wire and in words. Pure. */
import { alarmStateLabels, operationStateLabels, ridingStateLabels } from '@/api/generated/labels'
import type { Pick } from '@/live/messages'

/** The names in the address; each is absent when nothing of its kind is picked. */
export const PICK_NAMES = ['area', 'ride', 'ops', 'alarm', 'soc', 'idle', 'why'] as const
export type PickName = (typeof PICK_NAMES)[number]
/** What of each kind, as the address has it. */
export type PickText = Partial<Readonly<Record<PickName, string>>>

/** Why a bike cannot be rented, by the codes of the server. What only riding explains is a state of the legend. */
export const reasonLabels: Readonly<Record<string, string>> = {
  'low-battery': '电量低',
  'soc-unknown': '电量未知',
  offline: '设备离线',
  fault: '报修',
  operation: '运维中',
  'battery-removed': '电瓶移除',
  'out-of-area': '出服务区',
  'reported-lost': '报失',
  'area-closed': '服务区未运营',
  lifecycle: '未上架',
}

/** Hours since a bike was last used, as station statistics divide them. */
export const idleBands = ['1-3', '3-6', '6-12', '12-24', '24-48', '48-'] as const

const numbers = (text: string | undefined): number[] =>
  (text ?? '').split(',').filter((part) => /^\d{1,2}$/.test(part)).map(Number)
const ids = (text: string | undefined): string[] => (text ?? '').split(',').filter((part) => /^\d{1,19}$/.test(part))
const range = (text: string | undefined): [number, number | null] | null => {
  const found = /^(\d{1,4})-(\d{0,4})$/.exec(text ?? '')
  if (found === null) return null
  const to = found[2] === '' ? null : Number(found[2])
  const from = Number(found[1])
  return to !== null && to < from ? null : [from, to]
}

/** What the address picks. */
export function readPickText(search: URLSearchParams): PickText {
  return Object.fromEntries(PICK_NAMES.flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : [])))
}

/** On the wire; null when nothing is picked. Values that are none are passed over. */
export function pickOf(text: PickText): Pick | null {
  const known = (labels: Readonly<Record<number, string>>, name: PickName) => numbers(text[name]).filter((number) => number in labels)
  const areas = ids(text.area)
  const riding = known(ridingStateLabels, 'ride')
  const operations = known(operationStateLabels, 'ops')
  const alarms = known(alarmStateLabels, 'alarm')
  const soc = range(text.soc)
  const idle = range(text.idle)
  const reasons = (text.why ?? '').split(',').filter((code) => code in reasonLabels)
  const pick: Pick = {
    ...(areas.length > 0 && { areas }),
    ...(riding.length > 0 && { riding }),
    ...(operations.length > 0 && { operations }),
    ...(alarms.length > 0 && { alarms }),
    ...(soc !== null && { soc_percent: [Math.min(soc[0], 100), Math.min(soc[1] ?? 100, 100)] as const }),
    ...(idle !== null && idle[1] !== idle[0] && { idle_h: idle }),
    ...(reasons.length > 0 && { reasons }),
  }
  return Object.keys(pick).length === 0 ? null : pick
}

/** A kind of what is picked, in words. */
export interface PickWord {
  readonly name: PickName
  readonly text: string
}

/** Each kind that is picked, for a tag; `areaName` is undefined for one that is not known yet. */
export function pickWords(pick: Pick, areaName: (id: string) => string | undefined): PickWord[] {
  const words: PickWord[] = []
  const say = (name: PickName, title: string, values: readonly string[]) => words.push({ name, text: `${title}：${shortened(values)}` })
  if (pick.areas) say('area', '服务区', pick.areas.map((id) => areaName(id) ?? '…'))
  if (pick.riding) say('ride', '骑行', wordsOf(pick.riding, ridingStateLabels))
  if (pick.operations) say('ops', '运维', wordsOf(pick.operations, operationStateLabels))
  if (pick.alarms) say('alarm', '告警', wordsOf(pick.alarms, alarmStateLabels))
  if (pick.soc_percent) say('soc', '电量', [`${pick.soc_percent[0]}–${pick.soc_percent[1]}%`])
  if (pick.idle_h) say('idle', '闲置', [idleWord(pick.idle_h[0], pick.idle_h[1])])
  if (pick.reasons) say('why', '不可租', pick.reasons.map((code) => reasonLabels[code] ?? code))
  return words
}

const SAID_MOST = 2

function shortened(values: readonly string[]): string {
  const said = values.slice(0, SAID_MOST).join('、')
  return values.length > SAID_MOST ? `${said} 等 ${values.length} 项` : said
}

const wordsOf = (values: readonly number[], labels: Readonly<Record<number, string>>): string[] => values.map((value) => labels[value] ?? String(value))

/** `1–3 小时`, `48 小时以上`. */
export function idleWord(from: number, to: number | null): string {
  return to === null ? `${from} 小时以上` : `${from}–${to} 小时`
}
