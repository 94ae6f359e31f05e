import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Input, Select } from 'antd'
import { useState } from 'react'
import { useDevice } from '@/kit/device'
import { RangeField } from '@/kit/list/RangeField'
import { quickRanges, type Range } from '@/kit/list/range'
import { useTyped } from '@/kit/list/useTyped'
import { actorKinds, type LogFilters, PEOPLE, wholeCategory } from './filters'
import { logActions } from './log'
import { SubjectSelect } from './SubjectSelect'

interface LogFilterRowProps {
  filters: LogFilters
  range: Range
  onFilters(filters: LogFilters): void
  onRange(range: Range): void
  onReset(): void
}

/** Who, what, to what, how it ended, and when. */
export function LogFilterRow({ filters, range, onFilters, onRange, onReset }: LogFilterRowProps) {
  const actions = useQuery(logActions)
  const mobile = useDevice() === 'mobile'
  const [unfolded, setUnfolded] = useState(false)
  const folded = mobile && !unfolded
  const narrowed = Object.keys(filters).length
  const set = (change: LogFilters) => onFilters({ ...filters, ...change })
  const actOptions = (actions.data?.categories ?? []).map(({ category, label, actions: acts }) => ({
    label,
    title: label,
    options: [
      { value: wholeCategory(category), label: `${label}（全部操作）` },
      ...acts.map((act) => ({ value: act.action, label: act.label })),
    ],
  }))
  return (
    <div className="filter-row" role="search">
      <div className="filter log-range">
        <RangeField label="时间范围" quick={quickRanges.map(({ value }) => value)} showTime range={range} onChange={onRange} />
      </div>
      {!folded && (
        <>
          <div className="filter">
            <span>主体</span>
            <Select
              aria-label="主体"
              style={{ width: 112 }}
              value={filters.actorKind ?? PEOPLE}
              options={[...actorKinds]}
              onChange={(kind: string) => set({ actorKind: kind === PEOPLE ? undefined : kind })}
            />
          </div>
          <div className="filter">
            <span>操作人</span>
            <SubjectSelect label="操作人" placeholder="姓名" category="operator" width={140} value={filters.opManId} onChange={(opManId) => set({ opManId })} />
          </div>
          <div className="filter">
            <span>操作</span>
            <Select
              allowClear
              showSearch={{ optionFilterProp: 'label' }}
              aria-label="操作"
              placeholder="全部"
              style={{ width: 148 }}
              popupMatchSelectWidth={false}
              loading={actions.isLoading}
              value={filters.act ?? null}
              options={actOptions}
              onChange={(act: string | null | undefined) => set({ act: act ?? undefined })}
            />
          </div>
          <TextFilter label="对象" placeholder="名称开头或编号" value={filters.target} onDone={(target) => set({ target })} />
          <div className="filter">
            <span>结果</span>
            <Select
              allowClear
              aria-label="结果"
              placeholder="全部"
              style={{ width: 104 }}
              value={filters.result ?? null}
              options={(actions.data?.results ?? []).map(({ value, label }) => ({ value: String(value), label }))}
              onChange={(result: string | null | undefined) => set({ result: result ?? undefined })}
            />
          </div>
          {filters.traceId !== undefined && (
            <TextFilter label="追踪编号" placeholder="" value={filters.traceId} onDone={(traceId) => set({ traceId })} />
          )}
        </>
      )}
      {mobile && (
        <Button type="link" icon={unfolded ? <UpOutlined /> : <DownOutlined />} aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
          {unfolded ? '收起' : narrowed > 0 ? `更多筛选（${narrowed}）` : '更多筛选'}
        </Button>
      )}
      <Button type="link" onClick={onReset}>
        重置
      </Button>
    </div>
  )
}

interface TextFilterProps {
  label: string
  placeholder: string
  value: string | undefined
  onDone(value: string | undefined): void
}

/** Counts after a pause. */
function TextFilter({ label, placeholder, value = '', onDone }: TextFilterProps) {
  const typed = useTyped(value, (next) => onDone(next || undefined))
  return (
    <label className="filter">
      <span>{label}</span>
      <Input allowClear style={{ width: 148 }} aria-label={label} placeholder={placeholder} maxLength={64} {...typed} />
    </label>
  )
}
