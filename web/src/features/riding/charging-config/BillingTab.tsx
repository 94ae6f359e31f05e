import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { command } from '@/api/client'
import type { AreaChoice } from '@/kit/areaChoices'
import { useCommand } from '@/kit/useCommand'
import { type BillingFields, billingFieldOf, billingOf, billingSayings, fieldsOf } from './billing'
import { BillingItems } from './BillingItems'
import { type Billing, BILLING_PATH, billingConfig, kinds, ofRides, stale } from './config'
import { ConfigPanel, type Edited } from './ConfigPanel'
import { FarePreview } from './FarePreview'
import { SimulationTable } from './SimulationTable'

const items = <BillingItems />

/** What rides cost in an area, with any ride tried beside it. */
export function BillingTab({ area }: { area: AreaChoice }) {
  const { mutateAsync, isPending } = useCommand({ run: command.put(BILLING_PATH), stale, done: '草稿已保存', fieldOf: billingFieldOf })
  const edited = useMemo(
    (): Edited<Billing, BillingFields> => ({
      kind: kinds.billing,
      title: '计费配置',
      noun: 'billing_config',
      fieldsOf,
      contentOf: billingOf,
      items,
      sayings: billingSayings,
      effect: ofRides,
      fieldOf: billingFieldOf,
      save: mutateAsync,
      saving: isPending,
      beside: (billing) => <FarePreview areaId={area.id} billing={billing} />,
      simulation: (billing) => <SimulationTable areaId={area.id} billing={billing} />,
    }),
    [area.id, mutateAsync, isPending],
  )
  return <ConfigPanel area={area} query={useQuery(billingConfig(area.id))} edited={edited} />
}
