import { DeleteOutlined, DownOutlined } from '@ant-design/icons'
import { App, Button, Input, Popover } from 'antd'
import { useState } from 'react'
import type { Filters } from './description'
import { MOST_SAVED, NAME_MAX, useSaved, withSaved } from './saved'

interface SavedFiltersMenuProps {
  /** Of the list. */
  id: string
  /** What is asked now. */
  values: Filters
  onApply(values: Filters): void
}

/** 常用筛选: filters under names, to apply, to delete, and to save those of now. */
export function SavedFiltersMenu({ id, values, onApply }: SavedFiltersMenuProps) {
  const { message } = App.useApp()
  const [saved, setSaved] = useSaved(id)
  const [shown, setShown] = useState(false)
  const [name, setName] = useState('')
  const filtered = Object.keys(values).length > 0
  const save = () => {
    const called = name.trim()
    if (called === '') return void message.warning('请输入名称')
    const next = withSaved(saved, called, values)
    if (next === null) return void message.warning(`最多保存 ${MOST_SAVED} 组，请先删除不用的`)
    setSaved(next)
    setName('')
    void message.success(`已保存「${called}」`)
  }
  const content = (
    <div className="saved-filters">
      {saved.length === 0 ? (
        <p className="weak">还没有保存的筛选</p>
      ) : (
        <ul aria-label="常用筛选">
          {saved.map((one) => (
            <li key={one.name}>
              <Button
                type="text"
                onClick={() => {
                  setShown(false)
                  onApply(one.values)
                }}
              >
                {one.name}
              </Button>
              <Button
                type="text"
                size="small"
                aria-label={`删除 ${one.name}`}
                icon={<DeleteOutlined />}
                onClick={() => setSaved(saved.filter((other) => other !== one))}
              />
            </li>
          ))}
        </ul>
      )}
      <Input.Search
        aria-label="名称"
        placeholder={filtered ? '为当前筛选取名' : '先筛选，再保存'}
        disabled={!filtered}
        maxLength={NAME_MAX}
        enterButton="保存"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onSearch={(_, __, info) => info?.source === 'input' && save()}
      />
    </div>
  )
  return (
    <Popover trigger="click" placement="bottomLeft" open={shown} onOpenChange={setShown} content={content}>
      <Button type="link" icon={<DownOutlined />} iconPlacement="end" aria-expanded={shown}>
        常用筛选
      </Button>
    </Popover>
  )
}
