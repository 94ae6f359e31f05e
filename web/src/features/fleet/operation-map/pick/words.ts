/** What is picked, in words. Pure. */
import { alarmStateLabels, operationStateLabels, ridingStateLabels } from '@/api/generated/labels'
import type { Pick } from '@/live/messages'

import { type PickName, reasonLabels } from './pick'

/** A kind of what is picked, in words. */
export interface PickWord {
  readonly name: PickName
  readonly text: string
}

/** Each kind that is picked, for a tag; a name is undefined of one that is not known yet. */
export function pickWords(pick: Pick, areaName: (id: string) => string | undefined, schemeName: (id: string) => string | undefined): PickWord[] {
  const words: PickWord[] = []
  const say = (name: PickName, title: string, values: readonly string[]) => words.push({ name, text: `${title}：${shortened(values)}` })
  if (pick.areas) say('area', '服务区', pick.areas.map((id) => areaName(id) ?? '…'))
  if (pick.riding) say('ride', '骑行', wordsOf(pick.riding, ridingStateLabels))
  if (pick.operations) say('ops', '运维', wordsOf(pick.operations, operationStateLabels))
  if (pick.alarms) say('alarm', '告警', wordsOf(pick.alarms, alarmStateLabels))
  if (pick.soc_percent) say('soc', '电量', [`${pick.soc_percent[0]}–${pick.soc_percent[1]}%`])
  if (pick.idle_h) say('idle', '闲置', [idleWord(pick.idle_h[0], pick.idle_h[1])])
  if (pick.tags) say('tag', '标签', pick.tags)
  if (pick.voltage_schemes) say('volt', '电压方案', pick.voltage_schemes.map((id) => schemeName(id) ?? '…'))
  if (pick.reasons) say('why', '不可租', pick.reasons.map((code) => reasonLabels[code] ?? code))
  if (pick.likely_lost) words.push({ name: 'lost', text: '疑似丢失' })
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
