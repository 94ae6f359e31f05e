import { Button, Tooltip } from 'antd'
import { useState } from 'react'

import { uuid } from '@/api/bytes'
import { api } from '@/api/client'
import { usePermit } from '@/kit/Permit'
import { type Batch, useBatch } from '@/kit/list/useBatch'
import { liveSocket } from '@/live/live'

import { kindWord } from '../commands'
import { type ManyCommand, manyCommands, type Selection } from './selection'
import './selection.css'

interface SelectionBarProps {
  selection: Selection
  onClear: () => void
}

interface Named {
  carId: string
}

/** As long as a device's command keeps. */
const REASON_MOST = 100

const whole = new Intl.NumberFormat('zh-CN')
const batch: Batch<Named> = { keyOf: ({ carId }) => carId, called: ({ carId }) => carId, counter: '辆', stale: [['vehicle']] }

/** What can be done with the bikes that something was drawn around. */
export default function SelectionBar({ selection, onClear }: SelectionBarProps) {
  const { slots, total } = selection
  const may = { lock: usePermit('0301||0305'), other: usePermit('0305') }
  const [naming, setNaming] = useState(false)
  const [failure, setFailure] = useState('')
  const run = useBatch(batch)
  const choices = manyCommands.filter(({ need }) => (need === '0305' ? may.other : may.lock))

  const act = (choice: ManyCommand) => {
    setFailure('')
    setNaming(true)
    void liveSocket.whoAll(slots).then((names) => {
      setNaming(false)
      const rows = names.flatMap((carId) => (carId === null ? [] : [{ carId }]))
      if (rows.length === 0) {
        setFailure('没有取得车辆编号，请稍后再试')
        return
      }
      const word = kindWord(choice.command)
      run(
        {
          act: `批量${word}`,
          verb: `下发${word}`,
          rows,
          none: '选中的车辆已不在地图上',
          consequence: choice.consequence,
          ...(choice.reasoned ? { reason: { label: '原因（记入日志）', placeholder: '例如：站点清运', max: REASON_MOST } } : {}),
          run: (carIds, options, reason) =>
            api.post('/device/command/batch', { carIds, command: choice.command, reason }, { ...options, idempotencyKey: uuid() }),
        },
        onClear,
      )
    })
  }
  return (
    <div className="opmap-selection" role="toolbar" aria-label="选中的车辆">
      <b role="status">已选 {whole.format(slots.length)} 辆</b>
      {total > slots.length && <span className="opmap-weak">圈内共 {whole.format(total)} 辆，一次最多 {whole.format(slots.length)} 辆</span>}
      {failure !== '' && (
        <span className="opmap-amber" role="alert">
          {failure}
        </span>
      )}
      {choices.map((choice) => (
        <Tooltip key={choice.command} title={choice.consequence}>
          <Button loading={naming} onClick={() => act(choice)}>
            {kindWord(choice.command)}
          </Button>
        </Tooltip>
      ))}
      {choices.length === 0 && <span className="opmap-weak">没有下发指令的权限</span>}
      <Button type="text" onClick={onClear}>
        取消选择
      </Button>
    </div>
  )
}
