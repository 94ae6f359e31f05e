import { useQuery } from '@tanstack/react-query'
import { App, Form, InputNumber, Radio } from 'antd'
import { useDeferredValue, useState } from 'react'
import { command } from '@/api/client'
import { withHeld } from '@/kit/choice'
import { usePermit } from '@/kit/Permit'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { DaysItem, EnabledItem, Pair, PhoneItem } from '@/kit/record/items'
import { RecordForm, without } from '@/kit/record/RecordForm'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { agentRoleOptions } from '../agent-role/agentRole'
import { type Agent, AGENT_PATH, areaOptions, areasWithin, billingWays, parentOptions, stale } from './agent'

interface Fields {
  company: string
  contact: string
  /** Of one that is there: empty, it stays as it is. */
  phone?: string
  parentId?: string
  roleId?: string | undefined
  billingWay: 0 | 1
  serviceAreaIds: string[]
  contract: readonly string[]
  vehicleQuota?: number | null
  remark: string
  enabled?: boolean
}

interface AgentFormProps {
  /** The agent to change; none to open one. */
  agent?: Agent
  onSaved(): void
}

const fieldOf = { 'agent-phone-taken': 'phone' }
const empty: Fields = { company: '', contact: '', billingWay: 1, serviceAreaIds: [], contract: [], remark: '', enabled: true }

function fieldsOf(agent: Agent): Fields {
  const { company, contact, roleId, billingWay, serviceAreaIds, contractBegin, contractEnd, vehicleQuota, remark } = agent
  const contract = [contractBegin ?? '', contractEnd ?? '']
  return { company, contact, roleId: roleId ?? undefined, billingWay, serviceAreaIds, contract, vehicleQuota, remark }
}

/** What is sent of an agent, new or changed. */
function valuesOf({ company, contact, roleId, billingWay, serviceAreaIds, contract, vehicleQuota, remark }: Fields, agent: Agent | undefined) {
  return {
    company,
    contact,
    roleId: roleId ?? null,
    billingWay,
    // Left alone, they stay as they are, whatever others do to them meanwhile.
    ...(agent && sameMembers(serviceAreaIds, agent.serviceAreaIds) ? {} : { serviceAreaIds }),
    contractBegin: contract[0] || null,
    contractEnd: contract[1] || null,
    vehicleQuota: vehicleQuota ?? null,
    remark,
  }
}

/** Opens or changes an agent. */
export function AgentForm({ agent, onSaved }: AgentFormProps) {
  const { modal } = App.useApp()
  const create = useCommand({ run: command.post(AGENT_PATH), stale, done: '代理账号已新增', fieldOf })
  const change = useCommand({ run: command.put(AGENT_PATH), stale, done: '代理账号已保存', fieldOf })
  const [form] = Form.useForm<Fields>()
  const pickedParent = Form.useWatch('parentId', form)
  const parent = agent ? agent.parentId : (pickedParent ?? null)

  const save = (fields: Fields) => {
    const values = valuesOf(fields, agent)
    const { phone = '', parentId = null, enabled } = fields
    if (!agent) return create.mutateAsync({ ...values, phone, parentId, state: enabled === false ? 0 : 1 })
    return change.mutateAsync({ ...values, ...(phone === '' ? {} : { phone }), agentId: agent.agentId, version: agent.version })
  }
  const confirm = ({ roleId }: Fields, go: () => Promise<unknown>) => {
    if (!agent || (roleId ?? null) === agent.roleId) return void go()
    modal.confirm({
      title: `更换「${agent.company}」的角色模板？`,
      content: roleId ? '它的人员的权限将立即按新模板重新计算，超出模板的权限会失效。' : '它的人员将不再受模板限制，角色包含的权限全部生效。',
      okText: '更换并保存',
      cancelText: '返回修改',
      onOk: go,
    })
  }

  return (
    <RecordForm<Fields>
      draft={['agent', agent?.agentId, agent?.version]}
      form={form}
      original={agent ? fieldsOf(agent) : empty}
      kept={(fields) => without(fields, 'contact', 'phone')}
      missing="联系人和登录手机号需重新填写"
      fieldOf={fieldOf}
      confirm={confirm}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      <NameItem name="company" label="公司名称" max={64} placeholder="与营业执照一致" showCount />
      <Pair>
        <NameItem name="contact" label="联系人" max={20} />
        <PhoneItem
          name="phone"
          label="登录手机号"
          required={!agent}
          extra={agent ? `当前 ${agent.phone}，留空则不更换` : '还需在人员列表中为它开通账号，才能登录'}
        />
      </Pair>
      {!agent && <ParentItem />}
      <RoleItem known={agent} />
      <Form.Item name="billingWay" label="收银模式" rules={[{ required: true }]}>
        <Radio.Group options={[...billingWays]} optionType="button" />
      </Form.Item>
      <AreasItem own={agent?.agentId ?? null} parent={parent} />
      <Pair>
        <DaysItem name="contract" label="合同期" />
        <Form.Item name="vehicleQuota" label="车辆上限">
          <InputNumber min={0} max={1_000_000} precision={0} placeholder="不限" suffix="辆" />
        </Form.Item>
      </Pair>
      <RemarkItem max={200} />
      {!agent && <EnabledItem />}
    </RecordForm>
  )
}

function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  const known = new Set(right)
  return left.length === right.length && left.every((one) => known.has(one))
}

function ParentItem() {
  const [text, setText] = useState('')
  const query = useQuery(parentOptions(useDeferredValue(text.trim())))
  return (
    <ChoiceItem
      name="parentId"
      label="上级代理"
      extra="保存后不能更改；不选则由平台直属"
      allowClear
      showSearch={{ filterOption: false, onSearch: setText }}
      placeholder="平台直属"
      query={query}
      none="没有匹配的代理"
      options={query.data}
    />
  )
}

function RoleItem({ known }: { known: Agent | undefined }) {
  const editable = usePermit('1102')
  const query = useQuery({ ...agentRoleOptions, enabled: editable })
  const own = known?.roleId ? [{ value: known.roleId, label: known.roleName ?? known.roleId }] : []
  return (
    <ChoiceItem
      name="roleId"
      label="角色模板"
      extra={editable ? '它的人员最多拥有模板里的权限；不选则不限' : '需要「角色模板」权限才能更换'}
      allowClear
      disabled={!editable}
      placeholder="不限"
      query={query}
      none="还没有角色模板"
      options={withHeld(query.data ?? [], known?.roleId, own)}
    />
  )
}

function AreasItem({ own, parent }: { own: string | null; parent: string | null }) {
  const query = useQuery(areaOptions)
  const what =
    parent === null
      ? '选中的服务区将移交给它；有车辆、围栏或加盟商的服务区不能移交'
      : '只能从上级代理的服务区中选择，移出的归还上级；有车辆、围栏或加盟商的不能移交'
  return (
    <ChoiceItem
      name="serviceAreaIds"
      label="服务区"
      mode="multiple"
      extra={what}
      allowClear
      maxTagCount="responsive"
      placeholder={query.isError ? '服务区加载失败' : '请选择'}
      query={query}
      none={parent === null ? '还没有服务区' : '上级代理没有服务区'}
      options={areasWithin(query.data ?? [], own, parent).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
