import { skipToken, useQuery } from '@tanstack/react-query'
import { Cascader, Select } from 'antd'
import { type ReactElement, useState } from 'react'
import { AREAS_MOST } from '../areaChoices'
import { withHeld } from '../choice'
import { pathOf, treeOf } from './areaTree'
import type { Filter, Filters } from './description'

/** Found by part of a name, so many at most. */
const FOUND_MOST = 50
const WIDTH_PX = 200
const nobody = { queryKey: ['no agents'], queryFn: skipToken } as const

interface AreaFieldProps {
  filter: Filter & { kind: 'area' }
  values: Filters
  onChange(values: Filters): void
}

/** An agent, or one of its service areas; of a single agent the areas alone. */
export function AreaField({ filter, values, onChange }: AreaFieldProps) {
  const { label, choices } = filter
  const [agent, area] = [values[filter.agent] ?? '', values[filter.area] ?? '']
  const [opened, setOpened] = useState(false)
  const agents = useQuery({ ...(choices.agents ?? nobody), enabled: choices.agents !== null })
  // There may be many: they come when they are looked at, or when an address names one.
  const areas = useQuery({ ...choices.areas, enabled: opened || area !== '' })
  const [agentRows, areaRows] = [agents.data ?? [], areas.data ?? []]
  const set = (nextAgent = '', nextArea = '') => {
    if (nextAgent !== agent || nextArea !== area) onChange({ ...values, [filter.agent]: nextAgent, [filter.area]: nextArea })
  }
  const note = areas.isError
    ? '服务区加载失败，请稍后再试'
    : areaRows.length >= AREAS_MOST && `只列出前 ${AREAS_MOST.toLocaleString('zh-CN')} 个服务区`
  const common = {
    allowClear: true,
    placeholder: '全部',
    'aria-label': label,
    style: { width: WIDTH_PX },
    loading: agents.isLoading || areas.isLoading,
    notFoundContent: areas.isLoading ? '加载中' : '没有匹配的结果',
    onOpenChange: (open: boolean) => open && setOpened(true),
    popupRender: (menus: ReactElement) => (
      <>
        {menus}
        {note && <p className="area-note weak">{note}</p>}
      </>
    ),
  }
  // One who may not list agents may still be given an address that names one.
  if (choices.agents === null || (agents.data && agents.data.length <= 1)) {
    const owner = agentRows.find(({ agentId }) => agentId === agent)
    const held = area === '' && agent !== '' ? [{ value: agent, label: owner?.company ?? agent }] : []
    return (
      <Select
        {...common}
        popupMatchSelectWidth={false}
        showSearch={{ optionFilterProp: 'label' }}
        value={area || agent || null}
        options={withHeld([...held, ...areaRows.map(({ id, name }) => ({ value: id, label: name }))], area)}
        onChange={(chosen: string | null | undefined) => set(areaRows.find(({ id }) => id === chosen)?.agentId, chosen ?? '')}
      />
    )
  }
  const path = pathOf(agent, area, areaRows)
  return (
    <Cascader
      {...common}
      changeOnSelect
      showSearch={{
        limit: FOUND_MOST,
        filter: (typed, options) => options.some(({ label: name }) => name.toLowerCase().includes(typed.trim().toLowerCase())),
      }}
      value={[...path]}
      options={treeOf(agentRows, areas.isLoading ? null : areaRows, path)}
      onChange={(chosen: string[] | null | undefined) => set(...(chosen ?? []))}
    />
  )
}
