import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { command } from '@/api/client'
import { chemistryLabels, nominalVoltsLabels } from '@/api/generated/labels'
import { labelOf, optionsOf } from '@/kit/choice'
import { factsOf } from '@/kit/list/cells'
import type { ListDescription } from '@/kit/list/description'
import { enabledColumn, enabledFilter } from '@/kit/list/enabled'
import { ListPage } from '@/kit/list/ListPage'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCompanies } from '@/kit/schemeChoices'
import { SCHEME_PATH, schemeInfo, stale, type VoltageScheme, voltsText } from './voltageScheme'
import { VoltageSchemeForm } from './VoltageSchemeForm'

/** The list, with what agents are called as far as that is known. */
const listOf = (companyOf: (agentId: string) => string | undefined): ListDescription<VoltageScheme> => ({
  id: 'voltage-scheme',
  title: '电压方案',
  purpose: '电压方案按电池电压推算电量和剩余里程；绑定到车辆后，在车辆详情中显示，并可按方案筛选车辆。',
  path: SCHEME_PATH,
  exported: true,
  table: 'voltage_scheme',
  rowKey: (scheme) => scheme.id,
  emptyText: '还没有电压方案，先新增一个再绑定车辆',
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '方案名称' },
    { kind: 'select', name: 'nominalV', label: '标称电压', options: optionsOf(nominalVoltsLabels) },
    { kind: 'select', name: 'chemistry', label: '电芯', options: optionsOf(chemistryLabels) },
    enabledFilter,
  ],
  columns: [
    { key: 'name', title: '方案名称', width: 200, strong: true, text: (scheme) => scheme.name },
    { key: 'nominalV', title: '标称电压', width: 92, text: (scheme) => labelOf(nominalVoltsLabels, scheme.nominalV) },
    { key: 'chemistry', title: '电芯', width: 100, text: (scheme) => labelOf(chemistryLabels, scheme.chemistry) },
    { key: 'span', title: '电压范围', width: 150, text: ({ minMv, maxMv }) => `${voltsText(minMv)} – ${voltsText(maxMv)}` },
    { key: 'maxMileageKm', title: '满电里程（公里）', width: 140, align: 'right', text: ({ maxMileageKm }) => String(maxMileageKm) },
    { key: 'lowPercent', title: '低电阈值（%）', width: 120, align: 'right', text: ({ lowPercent }) => String(lowPercent) },
    { key: 'enoughPercent', title: '充足阈值（%）', width: 120, align: 'right', text: ({ enoughPercent }) => String(enoughPercent) },
    { kind: 'count', key: 'boundCount', title: '绑定车辆', value: (scheme) => scheme.boundCount },
    enabledColumn(),
    { key: 'owner', title: '所属', width: 150, unexported: true, text: ({ agentId }) => (agentId ? companyOf(agentId) : '平台') },
    {
      key: 'points',
      title: '电压电量表',
      width: 320,
      optional: true,
      text: ({ points }) => points.map(({ voltageMv, percent }) => `${voltageMv} mV ${percent}%`).join('；'),
    },
    { kind: 'time', key: 'updatedAt', title: '更新时间', value: (scheme) => scheme.updatedAt },
    { kind: 'time', key: 'createdAt', title: '创建时间', optional: true, value: (scheme) => scheme.createdAt },
    { key: 'agentId', title: '所属代理编号', width: 170, optional: true, text: ({ agentId }) => agentId ?? '' },
    { key: 'id', title: '方案编号', width: 170, optional: true, text: (scheme) => scheme.id },
  ],
})

/** 电压方案: what voltage tells of charge and range. */
export default function VoltageSchemeListPage() {
  const companyOf = useCompanies()
  const list = useMemo(() => listOf(companyOf), [companyOf])
  const remove = useAskedCommand({ run: command.delete(SCHEME_PATH), stale, done: '电压方案已删除' })
  return (
    <ListPage<VoltageScheme>
      description={list}
      add={{ text: '新增电压方案', form: (close) => <VoltageSchemeForm onSaved={close} /> }}
      editable
      rowActions={({ id, name, boundCount }) => [
        {
          key: 'delete',
          label: '删除',
          danger: true,
          unavailable: boundCount > 0 ? `仍有 ${boundCount} 辆车绑定，请先为它们更换方案` : undefined,
          onRun: () => remove({ id }, { act: '删除电压方案', name, consequence: '目前没有车辆使用这个方案。删除后无法恢复；操作日志中仍可查到它的历史。' }),
        },
      ]}
      drawer={(id, close) => <VoltageSchemeDrawer id={id} list={list} onClose={close} />}
    />
  )
}

/** Shows a voltage scheme and changes it. */
function VoltageSchemeDrawer({ id, list, onClose }: { id: string; list: ListDescription<VoltageScheme>; onClose: () => void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(schemeInfo(id))}
      category="voltage-scheme"
      words={{ untitled: '电压方案详情', failure: '电压方案加载失败', subject: '这个方案' }}
      title={({ name }) => name}
      facts={(scheme) => factsOf(list, scheme, 'boundCount', 'span', 'owner', 'updatedAt')}
      onClose={onClose}
    >
      {(scheme) => <VoltageSchemeForm scheme={scheme} onSaved={onClose} />}
    </RecordDrawer>
  )
}
