import { HistoryOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Popover, Select } from 'antd'
import { useState } from 'react'
import { logActions, type Subject } from './log'
import { SubjectSelect } from './SubjectSelect'

/** Opens the history of anything that has one. */
export function ReplayPicker({ onOpen }: { onOpen(subject: Subject): void }) {
  const [shown, setShown] = useState(false)
  const [category, setCategory] = useState('')
  const actions = useQuery(logActions)
  const options = (actions.data?.categories ?? []).filter(({ history }) => history).map((one) => ({ value: one.category, label: one.label }))
  return (
    <Popover
      trigger="click"
      placement="bottomLeft"
      open={shown}
      onOpenChange={setShown}
      title="查看对象历史"
      content={
        <div className="replay-picker">
          <Select
            aria-label="对象类型"
            placeholder="对象类型"
            style={{ width: 240 }}
            showSearch={{ optionFilterProp: 'label' }}
            options={options}
            value={category || null}
            onChange={(value: string) => setCategory(value)}
          />
          <SubjectSelect
            key={category}
            label="选择对象"
            placeholder="名称或编号"
            category={category}
            width={240}
            value={undefined}
            onChange={(id) => {
              if (id === undefined) return
              setShown(false)
              onOpen({ category, id })
            }}
          />
        </div>
      }
    >
      <Button icon={<HistoryOutlined />}>查看对象历史</Button>
    </Popover>
  )
}
