import { Button, Tooltip } from 'antd'
import { useState } from 'react'

import { liveSocket } from '@/live/live'
import { Permit } from '@/kit/Permit'

import { type Act, acts } from '../../keeping/acts'
import { useKeep } from '../../keeping/useKeep'
import type { Selection } from './selection'
import './selection.css'

interface SelectionBarProps {
  selection: Selection
  onClear: () => void
}

const whole = new Intl.NumberFormat('zh-CN')
const offered = acts.filter((act) => act.single !== true)

/** What can be done with the bikes that something was drawn around. */
export default function SelectionBar({ selection, onClear }: SelectionBarProps) {
  const { slots, total } = selection
  const { run, dialog } = useKeep()
  const [more, setMore] = useState(false)
  const [naming, setNaming] = useState(false)
  const [failure, setFailure] = useState('')

  const act = (chosen: Act) => {
    setFailure('')
    setNaming(true)
    void liveSocket.whoAll(slots).then((names) => {
      setNaming(false)
      const rows = names.flatMap((carId) => (carId === null ? [] : [{ carId }]))
      if (rows.length > 0) run(chosen, rows, onClear)
      else setFailure('没有取得车辆编号，请稍后再试')
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
      {offered
        .filter(({ seldom }) => more || seldom !== true)
        .map((one) => (
          <Permit key={one.key} need={one.code}>
            <Tooltip title={one.consequence}>
              <Button danger={one.danger === true} loading={naming} onClick={() => act(one)}>
                {one.label}
              </Button>
            </Tooltip>
          </Permit>
        ))}
      <Button type="text" aria-expanded={more} onClick={() => setMore(!more)}>
        {more ? '收起' : '更多操作'}
      </Button>
      <Button type="text" onClick={onClear}>
        取消选择
      </Button>
      {dialog}
    </div>
  )
}
