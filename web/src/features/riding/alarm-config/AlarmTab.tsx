import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { command } from '@/api/client'
import type { AreaChoice } from '@/kit/areaChoices'
import { useCommand } from '@/kit/useCommand'
import { ALARM_PATH, alarmConfig, type AlarmRules, kinds, stale } from '../charging-config/config'
import { ConfigPanel, type Edited } from '../charging-config/ConfigPanel'
import { AlarmItems } from './AlarmItems'
import { alarmFieldOf, alarmSayings, contentOf, effect } from './alarming'

const items = <AlarmItems />

/** Where alarms begin in an area. */
export function AlarmTab({ area }: { area: AreaChoice }) {
  const { mutateAsync, isPending } = useCommand({ run: command.put(ALARM_PATH), stale, done: '草稿已保存', fieldOf: alarmFieldOf })
  const edited = useMemo(
    (): Edited<AlarmRules, AlarmRules> => ({
      kind: kinds.alarm,
      title: '告警配置',
      noun: 'alarm_config',
      fieldsOf: (rules) => rules,
      contentOf,
      items,
      sayings: alarmSayings,
      effect,
      fieldOf: alarmFieldOf,
      save: mutateAsync,
      saving: isPending,
    }),
    [mutateAsync, isPending],
  )
  return <ConfigPanel area={area} query={useQuery(alarmConfig(area.id))} edited={edited} />
}
