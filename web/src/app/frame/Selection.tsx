import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useDevice } from '@/kit/device'
import { Permit } from '@/kit/Permit'
import {
  agentOptions,
  areaOptions,
  chooseAgents,
  chooseAreas,
  selectionLabel,
  selectionToStore,
  useSelection,
} from '../session/selection'
import { SelectModal } from './SelectModal'

type Which = 'agents' | 'areas'

/** How many agents and areas are selected, with the dialogs to change it. */
export function Selection() {
  const { agentIds, opAreaIds } = useSelection()
  const [open, setOpen] = useState<Which | null>(null)
  const client = useQueryClient()

  const confirm = (choose: (ids: string[]) => Promise<void>) => async (chosen: string[], all: string[]) => {
    await choose(selectionToStore(chosen, all))
    await client.invalidateQueries()
  }
  return (
    <div className="selection">
      <Permit need="01">
        <SelectionButton label="代理商" chosen={agentIds} onClick={() => setOpen('agents')} />
      </Permit>
      <SelectionButton label="服务区" chosen={opAreaIds} onClick={() => setOpen('areas')} />
      <SelectModal
        open={open === 'agents'}
        load={agentOptions}
        emptyText="没有可选择的代理商列表"
        failedText="未获取到代理商信息"
        chosen={agentIds}
        onConfirm={confirm(chooseAgents)}
        onClose={() => setOpen(null)}
      />
      <SelectModal
        open={open === 'areas'}
        load={areaOptions}
        emptyText="没有可选择的服务区列表"
        failedText="未获取到服务区信息"
        chosen={opAreaIds}
        onConfirm={confirm(chooseAreas)}
        onClose={() => setOpen(null)}
      />
    </div>
  )
}

/** On a phone the button bears the label: there is no room for both. */
function SelectionButton({ label, chosen, onClick }: { label: string; chosen: readonly string[]; onClick(): void }) {
  const mobile = useDevice() === 'mobile'
  const count = <strong className="figure">{selectionLabel(chosen)}</strong>
  return (
    <span className="selection-item">
      {!mobile && <span className="weak">{label}</span>}
      {!mobile && count}
      <Button size="small" aria-label={`选择${label}`} onClick={onClick}>
        {mobile ? label : '选择'}
      </Button>
      {mobile && count}
    </span>
  )
}
