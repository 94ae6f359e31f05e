/** What an operator picks beyond the legend: in the address and on the wire. Pure. */
import type { Pick } from '@/live/messages'

/** The names in the address; each is absent when nothing of its kind is picked. */
export const PICK_NAMES = ['area', 'ride', 'ops', 'alarm', 'soc', 'idle', 'tag', 'volt', 'why', 'lost'] as const
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
  const known = (first: number, last: number, name: PickName) => numbers(text[name]).filter((number) => number >= first && number <= last)
  const areas = ids(text.area)
  const riding = known(1, 5, 'ride')
  const operations = known(1, 6, 'ops')
  const alarms = known(2, 14, 'alarm')
  const soc = range(text.soc)
  const idle = range(text.idle)
  const tags = (text.tag ?? '').split(',').filter((tag) => tag.trim() !== '')
  const schemes = ids(text.volt)
  const reasons = (text.why ?? '').split(',').filter((code) => code in reasonLabels)
  const pick: Pick = {
    ...(areas.length > 0 && { areas }),
    ...(riding.length > 0 && { riding }),
    ...(operations.length > 0 && { operations }),
    ...(alarms.length > 0 && { alarms }),
    ...(soc !== null && { soc_percent: [Math.min(soc[0], 100), Math.min(soc[1] ?? 100, 100)] as const }),
    ...(idle !== null && idle[1] !== idle[0] && { idle_h: idle }),
    ...(tags.length > 0 && { tags }),
    ...(schemes.length > 0 && { voltage_schemes: schemes }),
    ...(reasons.length > 0 && { reasons }),
    ...(text.lost === '1' && { likely_lost: true as const }),
  }
  return Object.keys(pick).length === 0 ? null : pick
}
