import { useQuery } from '@tanstack/react-query'
import { App, DatePicker, Form, Input, InputNumber, Radio, Select, Switch } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { useDeferredValue, useState } from 'react'
import { atField } from '@/kit/fieldErrors'
import { usePermit } from '@/kit/Permit'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { agentRoleOptions } from '../agent-role/agentRole'
import {
  type Agent,
  type AgentState,
  type AgentValues,
  areaOptions,
  areasWithin,
  billingWays,
  COMPANY_MAX,
  CONTACT_MAX,
  fieldOf,
  parentOptions,
  QUOTA_MAX,
  REMARK_MAX,
} from './agent'

/** What is filled in once, or only when it changes. */
interface Beside {
  /** Empty: as it is. */
  phone: string
  parentId: string | null
  state: AgentState
}

interface Fields {
  company: string
  contact: string
  phone?: string
  parentId?: string
  roleId?: string
  billingWay: number
  serviceAreaIds: string[]
  contract?: [Dayjs | null, Dayjs | null] | null
  vehicleQuota?: number | null
  remark: string
  enabled?: boolean
}

interface AgentFormProps {
  id: string
  /** The agent to change; none to open one. */
  agent?: Agent
  /** Resolves when it is saved, rejects when it is not; the caller says why. */
  onSave(values: AgentValues, beside: Beside): Promise<unknown>
}

const empty: Fields = { company: '', contact: '', billingWay: 1, serviceAreaIds: [], remark: '', enabled: true }

const dayOf = (text: string | null) => (text === null ? null : dayjs(text))
const textOf = (day: Dayjs | null | undefined) => day?.format('YYYY-MM-DD') ?? null

function fieldsOf(agent: Agent): Fields {
  return {
    company: agent.company,
    contact: agent.contact,
    roleId: agent.roleId ?? undefined,
    billingWay: agent.billingWay,
    serviceAreaIds: agent.serviceAreaIds,
    contract: [dayOf(agent.contractBegin), dayOf(agent.contractEnd)],
    vehicleQuota: agent.vehicleQuota,
    remark: agent.remark,
  }
}

/** Opens or changes an agent. */
export function AgentForm({ id, agent, onSave }: AgentFormProps) {
  const { modal } = App.useApp()
  const [form] = Form.useForm<Fields>()
  const mayPickRole = usePermit('1102')
  const pickedParent = Form.useWatch('parentId', form)
  const parent = agent ? agent.parentId : (pickedParent ?? null)

  const save = (fields: Fields) => {
    const areas = fields.serviceAreaIds
    const values: AgentValues = {
      company: fields.company.trim(),
      contact: fields.contact.trim(),
      roleId: fields.roleId ?? null,
      billingWay: fields.billingWay,
      // Left alone, they stay as they are, whatever others do to them meanwhile.
      ...(agent && sameMembers(areas, agent.serviceAreaIds) ? {} : { serviceAreaIds: areas }),
      contractBegin: textOf(fields.contract?.[0]),
      contractEnd: textOf(fields.contract?.[1]),
      vehicleQuota: fields.vehicleQuota ?? null,
      remark: fields.remark.trim(),
    }
    const beside: Beside = { phone: (fields.phone ?? '').trim(), parentId: fields.parentId ?? null, state: fields.enabled === false ? 0 : 1 }
    return onSave(values, beside).catch(atField(form, fieldOf)).catch(() => undefined)
  }
  const finish = (fields: Fields) => {
    if (!agent || (fields.roleId ?? null) === agent.roleId) return void save(fields)
    modal.confirm({
      title: `更换「${agent.company}」的角色模板？`,
      content: fields.roleId ? '它的人员的权限将立即按新模板重新计算，超出模板的权限会失效。' : '它的人员将不再受模板限制，角色包含的权限全部生效。',
      okText: '更换并保存',
      cancelText: '返回修改',
      onOk: () => save(fields),
    })
  }

  return (
    <Form<Fields>
      id={id}
      form={form}
      layout="vertical"
      initialValues={agent ? fieldsOf(agent) : empty}
      onFinish={finish}
    >
      <NameItem name="company" label="公司名称" max={COMPANY_MAX} placeholder="与营业执照一致" showCount />
      <div className="agent-pair">
        <NameItem name="contact" label="联系人" max={CONTACT_MAX} />
        <Form.Item
          name="phone"
          label="登录手机号"
          required={!agent}
          extra={agent ? `当前 ${agent.phone}，留空则不更换` : '还需在人员列表中为它开通账号，才能登录'}
          rules={[
            { required: !agent, message: '请输入登录手机号' },
            { pattern: /^1[3-9]\d{9}$/, message: '请输入 11 位手机号' },
          ]}
        >
          <Input inputMode="tel" maxLength={11} autoComplete="off" />
        </Form.Item>
      </div>
      {!agent && (
        <Form.Item name="parentId" label="上级代理" extra="保存后不能更改；不选则由平台直属">
          <ParentSelect />
        </Form.Item>
      )}
      <Form.Item name="roleId" label="角色模板" extra={mayPickRole ? '它的人员最多拥有模板里的权限；不选则不限' : '需要「角色模板」权限才能更换'}>
        <RoleSelect known={agent} editable={mayPickRole} />
      </Form.Item>
      <Form.Item name="billingWay" label="收银模式" rules={[{ required: true }]}>
        <Radio.Group options={[...billingWays]} optionType="button" />
      </Form.Item>
      <Form.Item
        name="serviceAreaIds"
        label="服务区"
        extra={
          parent === null
            ? '选中的服务区将移交给它；有车辆、围栏或加盟商的服务区不能移交'
            : '只能从上级代理的服务区中选择，移出的归还上级；有车辆、围栏或加盟商的不能移交'
        }
      >
        <AreaSelect own={agent?.agentId ?? null} parent={parent} />
      </Form.Item>
      <div className="agent-pair">
        <Form.Item name="contract" label="合同期">
          <DatePicker.RangePicker allowEmpty={[true, true]} style={{ width: '100%' }} placeholder={['开始日期', '结束日期']} />
        </Form.Item>
        <Form.Item name="vehicleQuota" label="车辆上限">
          <InputNumber min={0} max={QUOTA_MAX} precision={0} placeholder="不限" suffix="辆" style={{ width: '100%' }} />
        </Form.Item>
      </div>
      <RemarkItem max={REMARK_MAX} />
      {!agent && (
        <Form.Item name="enabled" label="立即启用" required valuePropName="checked">
          <Switch />
        </Form.Item>
      )}
    </Form>
  )
}

function sameMembers(left: readonly string[], right: readonly string[]): boolean {
  const known = new Set(right)
  return left.length === right.length && left.every((one) => known.has(one))
}

/** What a form item hands to its field. */
interface FieldProps<Value> {
  id?: string
  value?: Value
  onChange?(value: Value | undefined): void
}

function ParentSelect({ id, value, onChange }: FieldProps<string>) {
  const [text, setText] = useState('')
  const query = useQuery(parentOptions(useDeferredValue(text.trim())))
  return (
    <Select
      id={id}
      value={value}
      onChange={onChange}
      allowClear
      showSearch={{ filterOption: false, onSearch: setText }}
      loading={query.isFetching}
      placeholder="平台直属"
      options={query.data ?? []}
      notFoundContent={query.isError ? '加载失败，请重试' : '没有匹配的代理'}
    />
  )
}

function RoleSelect({ id, value, onChange, known, editable }: FieldProps<string> & { known?: Agent; editable: boolean }) {
  const query = useQuery({ ...agentRoleOptions, enabled: editable })
  const own = known?.roleId ? [{ value: known.roleId, label: known.roleName ?? known.roleId }] : []
  const options = query.data?.some((option) => option.value === known?.roleId) ? query.data : [...own, ...(query.data ?? [])]
  return (
    <Select
      id={id}
      value={value}
      onChange={onChange}
      allowClear
      disabled={!editable}
      showSearch={{ optionFilterProp: 'label' }}
      loading={query.isFetching}
      placeholder="不限"
      options={options}
      notFoundContent={query.isError ? '加载失败，请重试' : '还没有角色模板'}
    />
  )
}

function AreaSelect({ id, value, onChange, own, parent }: FieldProps<string[]> & { own: string | null; parent: string | null }) {
  const query = useQuery(areaOptions)
  const options = areasWithin(query.data ?? [], own, parent).map((area) => ({ value: area.id, label: area.name }))
  return (
    <Select
      id={id}
      mode="multiple"
      value={value}
      onChange={onChange}
      allowClear
      showSearch={{ optionFilterProp: 'label' }}
      maxTagCount="responsive"
      loading={query.isFetching}
      placeholder={query.isError ? '服务区加载失败' : '请选择'}
      options={options}
      notFoundContent={parent === null ? '还没有服务区' : '上级代理没有服务区'}
    />
  )
}
