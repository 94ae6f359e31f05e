import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { Button, Input, Select } from 'antd'
import { useState } from 'react'
import { useDevice } from '../device'
import type { Filter, Filters } from './description'
import { useTyped } from './useTyped'

/** Fields that show before the row is unfolded; on a phone each takes a line. */
const FOLDED = 4
const FOLDED_ON_PHONE = 1
/** Choices from so many on can be typed. */
const SEARCHED = 10

interface FilterRowProps {
  filters: readonly Filter[]
  values: Filters
  onChange(values: Filters): void
}

/** Filters in one row; text counts after a pause, a choice at once. */
export function FilterRow({ filters, values, onChange }: FilterRowProps) {
  const folded = useDevice() === 'mobile' ? FOLDED_ON_PHONE : FOLDED
  const [unfolded, setUnfolded] = useState(() => filters.slice(folded).some(({ name }) => name in values))
  const shown = unfolded ? filters : filters.slice(0, folded)
  const set = (name: string, value: string) => {
    if ((values[name] ?? '') !== value) onChange({ ...values, [name]: value })
  }
  return (
    <div className="filter-row" role="search">
      {shown.map((filter) => (
        <label key={filter.name} className="filter">
          <span>{filter.label}</span>
          {filter.kind === 'text' ? (
            <TextFilter filter={filter} value={values[filter.name] ?? ''} onDone={(value) => set(filter.name, value)} />
          ) : (
            <Select
              allowClear
              placeholder="全部"
              aria-label={filter.label}
              style={{ width: 128 }}
              popupMatchSelectWidth={false}
              showSearch={filter.options.length > SEARCHED && { optionFilterProp: 'label' }}
              options={[...filter.options]}
              value={values[filter.name] ?? null}
              onChange={(value: string | null) => set(filter.name, value ?? '')}
            />
          )}
        </label>
      ))}
      <Button type="link" disabled={Object.keys(values).length === 0} onClick={() => onChange({})}>
        重置
      </Button>
      {filters.length > folded && (
        <Button type="link" icon={unfolded ? <UpOutlined /> : <DownOutlined />} onClick={() => setUnfolded(!unfolded)}>
          {unfolded ? '收起' : '展开'}
        </Button>
      )}
    </div>
  )
}

function TextFilter(props: { filter: Filter & { kind: 'text' }; value: string; onDone(value: string): void }) {
  const typed = useTyped(props.value, props.onDone)
  return (
    <Input
      allowClear
      style={{ width: 220 }}
      aria-label={props.filter.label}
      placeholder={props.filter.placeholder}
      maxLength={64}
      {...typed}
    />
  )
}
