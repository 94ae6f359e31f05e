import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { command } from '@/api/client'
import type { AreaChoice } from '@/kit/areaChoices'
import { useCommand } from '@/kit/useCommand'
import { kinds, ofRides, RETURN_PATH, returnConfig, type ReturnRules, stale } from './config'
import { ConfigPanel, type Edited } from './ConfigPanel'
import { ReturnItems } from './ReturnItems'
import { returnFieldOf, returnSayings } from './returning'

const items = <ReturnItems />

/** Where and how rides end in an area. */
export function ReturnTab({ area }: { area: AreaChoice }) {
  const { mutateAsync, isPending } = useCommand({ run: command.put(RETURN_PATH), stale, done: '草稿已保存', fieldOf: returnFieldOf })
  const edited = useMemo(
    (): Edited<ReturnRules, ReturnRules> => ({
      kind: kinds.return,
      title: '还车配置',
      noun: 'return_config',
      fieldsOf: (rules) => rules,
      // The form begins with all of it.
      contentOf: (rules) => rules as ReturnRules,
      items,
      effect: ofRides,
      sayings: returnSayings,
      fieldOf: returnFieldOf,
      save: mutateAsync,
      saving: isPending,
    }),
    [mutateAsync, isPending],
  )
  return <ConfigPanel area={area} query={useQuery(returnConfig(area.id))} edited={edited} />
}
