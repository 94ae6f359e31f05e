import { App, Button, Dropdown } from 'antd'
import { useMemo, useState } from 'react'
import { api } from '@/api/client'
import { ListPage } from '@/kit/list/ListPage'
import type { Filters } from '@/kit/list/description'
import { allows, useCodes } from '@/kit/permission/held'
import { type Act, acts, BIKES_MAX, type Kept } from '../keeping/acts'
import { batchActionsOf, useKeep } from '../keeping/useKeep'
import { VehicleCard } from '../query/VehicleCard'
import { schemeOptions, useSchemes } from '@/kit/schemeChoices'
import { type Screened, SCREENING, screeningOf } from './screening'

const PAGE = 200

/** All that the filters leave, up to as many as one act takes. */
async function allOf(filters: Filters): Promise<{ rows: Kept[]; more: boolean }> {
  const rows: Kept[] = []
  for (let page = 1; rows.length < BIKES_MAX; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- page after page, until there are no more
    const answer = await api.get(SCREENING, { ...filters, page, pageSize: PAGE })
    rows.push(...answer.rows.map(({ carId, model, firmware }) => ({ carId, model: model ?? null, firmware: firmware ?? null })))
    if (answer.rows.length < PAGE) return { rows, more: false }
  }
  return { rows, more: true }
}

/** 车辆筛选: bikes by what they are now, and what is done with many of them. */
export default function ScreeningPage() {
  const { run, dialog } = useKeep()
  const actions = useMemo(() => batchActionsOf<Screened>(run), [run])
  const { schemes } = useSchemes()
  const description = useMemo(() => screeningOf(schemeOptions(schemes)), [schemes])
  return (
    <>
      <ListPage<Screened>
        description={description}
        batchActions={actions}
        tools={(asked) => <WithAll asked={asked} run={run} />}
        drawer={(carId, close) => <VehicleCard carId={carId} onClose={close} />}
      />
      {dialog}
    </>
  )
}

/** Acts on all that the filters leave, also on those of other pages. */
function WithAll({ asked, run }: { asked(): Filters; run(act: Act, rows: readonly Kept[], done: () => void): void }) {
  const { message } = App.useApp()
  const codes = useCodes()
  const [collecting, setCollecting] = useState(false)
  const may = acts.filter((act) => !act.single && allows(act.code, codes))
  const begin = async (key: string) => {
    const act = may.find((one) => one.key === key)
    if (!act) return
    setCollecting(true)
    try {
      const { rows, more } = await allOf(asked())
      if (more) void message.warning(`符合条件的车辆较多，一次只操作前 ${BIKES_MAX} 辆`)
      run(act, rows, () => undefined)
    } catch {
      // What was refused has been said by the call.
    } finally {
      setCollecting(false)
    }
  }
  return (
    <Dropdown trigger={['click']} menu={{ items: may.map(({ key, label, danger = false }) => ({ key, label, danger })), onClick: ({ key }) => void begin(key) }}>
      <Button loading={collecting}>操作全部筛选结果</Button>
    </Dropdown>
  )
}
