import { useQuery } from '@tanstack/react-query'
import { Form, Radio } from 'antd'
import { areasOf } from '@/kit/areaChoices'
import { usePermit } from '@/kit/Permit'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { agentChoices, REACH_MAX } from './operator'

/** Names of agents, once they are known. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const query = useQuery({ ...agentChoices, enabled: usePermit('01') })
  return new Map((query.data ?? []).map((agent) => [agent.agentId, agent.company]))
}

/** Names of the areas of these agents, once they are known. */
export function useAreaNames(agentIds: readonly string[]): ReadonlyMap<string, string> {
  const query = useQuery(areasOf(agentIds))
  return new Map((query.data ?? []).map((area) => [area.id, area.name]))
}

/** Chosen ids that the list does not hold any more show as themselves. */
function withUnknown(options: { value: string; label: string }[], chosen: readonly string[]) {
  const known = new Set(options.map(({ value }) => value))
  return [...options, ...chosen.filter((id) => !known.has(id)).map((id) => ({ value: id, label: `${id}（不在可选范围）` }))]
}

/** Which agents and areas a person sees: all is said, never meant by an empty field. */
export function ReachFields() {
  const form = Form.useFormInstance()
  const mayListAgents = usePermit('01')
  const allAgents = Form.useWatch<boolean | undefined>('allAgents', form) ?? true
  const allAreas = Form.useWatch<boolean | undefined>('allAreas', form) ?? true
  const agentIds = Form.useWatch<string[] | undefined>('agentIds', form) ?? []
  const areaIds = Form.useWatch<string[] | undefined>('opAreaIds', form) ?? []
  const agents = useQuery({ ...agentChoices, enabled: mayListAgents })
  const ofAgents = allAgents ? [] : agentIds
  const areas = useQuery({ ...areasOf(ofAgents), enabled: !allAreas && (allAgents || agentIds.length > 0) })

  const agentOptions = withUnknown(
    (agents.data ?? []).map((agent) => ({ value: agent.agentId, label: agent.company })),
    agentIds,
  )
  const areaOptions = withUnknown(
    (areas.data ?? []).map((area) => ({ value: area.id, label: area.name })),
    areaIds,
  )
  return (
    <>
      <Form.Item name="allAgents" label="可见代理商" required>
        <Radio.Group
          optionType="button"
          options={[
            { value: false, label: '指定代理商' },
            { value: true, label: '全部代理商' },
          ]}
        />
      </Form.Item>
      {!allAgents && (
        <ChoiceItem
          name="agentIds"
          label="代理商"
          mode="multiple"
          extra={mayListAgents ? undefined : '您没有“代理商选择”权限（01），看不到代理商名单'}
          rules={[{ type: 'array', required: true, min: 1, max: REACH_MAX, message: `请选择 1 到 ${REACH_MAX} 个代理商` }]}
          placeholder="按公司名称搜索"
          maxTagCount="responsive"
          query={agents}
          failed="代理商名单加载失败，请稍后再试"
          none="没有可选择的代理商"
          options={agentOptions}
        />
      )}
      <Form.Item name="allAreas" label="可见服务区" required>
        <Radio.Group
          optionType="button"
          options={[
            { value: true, label: '以上代理商的全部服务区' },
            { value: false, label: '指定服务区' },
          ]}
        />
      </Form.Item>
      {!allAreas && (
        <ChoiceItem
          name="opAreaIds"
          label="服务区"
          mode="multiple"
          extra="只列出以上代理商的服务区；去掉代理商时，它的服务区一并去掉"
          rules={[{ type: 'array', required: true, min: 1, max: REACH_MAX, message: `请选择 1 到 ${REACH_MAX} 个服务区` }]}
          placeholder={!allAgents && agentIds.length === 0 ? '请先选择代理商' : '按名称搜索'}
          maxTagCount="responsive"
          query={areas}
          failed="服务区加载失败，请稍后再试"
          none="没有可选择的服务区"
          options={areaOptions}
        />
      )}
    </>
  )
}
