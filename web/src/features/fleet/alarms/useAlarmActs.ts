import { App } from 'antd'
import { command } from '@/api/client'
import { falseAlarmCauseLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { optionsOf } from '@/kit/choice'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'
import { type AlarmGroup, type AlarmTicket, kindWord, NOTE_MAX, stale } from './alarm'

/** What an act is about: a ticket, or all tickets of a group. */
export interface Meant {
  ids: readonly string[]
  /** As people call it. */
  called: string
}

export const ofTicket = ({ id, kind, carId }: AlarmTicket): Meant => ({ ids: [id], called: `${kindWord(kind)} ${carId}` })
export const ofGroup = ({ ids, kind }: AlarmGroup): Meant => ({ ids, called: `${kindWord(kind)} ${ids.length} 辆` })

/** Causes that a false alarm may have. */
export const causes = optionsOf(falseAlarmCauseLabels)

type Answer = DataOf<'/vehicle/alarm/settle', 'post'>

/** What became of several: what was refused, in the first one's words. One alone is done, or refused as a whole. */
export function outcomeOf({ results }: Answer): { done: number; refused: number; why: string | null } {
  const fates = results ?? []
  const refused = fates.filter(({ suc }) => !suc)
  return { done: fates.length - refused.length, refused: refused.length, why: refused[0]?.error?.promot ?? null }
}

/** What a person may do about alarms. */
export function useAlarmActs() {
  const { message } = App.useApp()
  const told = (verb: string, answer: Answer) => {
    const { done, refused, why } = outcomeOf(answer)
    if (refused === 0) void message.success(`已${verb}`)
    else if (done === 0) void message.error(why)
    else void message.warning(`已${verb} ${done} 项，${refused} 项未能处理：${why}`)
  }
  const take = useCommand({ run: command.post('/vehicle/alarm/acknowledge'), stale })
  const settle = useCommand({ run: command.post('/vehicle/alarm/settle'), stale })
  const ask = useAskedCommand({ run: command.post('/vehicle/alarm/settle'), stale, done: '处理结果已记录' })
  return {
    busy: take.isPending || settle.isPending,
    acknowledge: ({ ids }: Meant) => take.mutate({ ids: [...ids] }, { onSuccess: (answer) => told('确认', answer) }),
    falseAlarm: ({ ids }: Meant, cause: number) =>
      settle.mutate({ ids: [...ids], cause: cause as AlarmTicket['cause'], note: '' }, { onSuccess: (answer) => told('记为误报', answer) }),
    handled: ({ ids, called }: Meant) =>
      ask((note) => ({ ids: [...ids], note }), {
        act: '处理完成',
        name: called,
        consequence: '报警单关闭并记录处理人；故障仍在时车辆状态不变，再次报警会生成新单。',
        reason: { label: '处理结果', placeholder: '如：已联系用户、已找回、已更换电池', max: NOTE_MAX },
      }),
  }
}
