import { useQuery, useQueryClient } from '@tanstack/react-query'
import { App, Form, Input, Select, Switch } from 'antd'
import { DraftNotice } from '@/kit/DraftNotice'
import { atField } from '@/kit/fieldErrors'
import { NameItem } from '@/kit/TextItems'
import { useDraft } from '@/kit/useDraft'
import { areasWithin, type Change, changesOf, type Names } from './changes'
import { LevelPicker } from './LevelPicker'
import { areaChoices, enabledRoles, fieldOf, NAME_MAX, type Operator, type OperatorState, type OperatorValues, ROLES_MAX } from './operator'
import { professions } from './profession'
import { ReachFields, useAgentNames, useAreaNames } from './ReachFields'

interface Fields extends Omit<OperatorValues, 'profession'> {
  /** Nothing once it was cleared. */
  profession?: number | null
  phone?: string
  allAgents: boolean
  allAreas: boolean
  enabled?: boolean
}

interface OperatorFormProps {
  id: string
  /** The person to change; none to add one. */
  operator?: Operator
  /** Resolves when it is saved, rejects when it is not; the caller says why. */
  onSave(values: OperatorValues, account: { phone: string; state: OperatorState }): Promise<unknown>
}

/** A new person sees nothing that nobody chose for him. */
const empty: Fields = { phone: '', name: '', level: 2, profession: null, roleIds: [], allAgents: false, agentIds: [], allAreas: true, opAreaIds: [], enabled: true }

function fieldsOf(operator: Operator): Fields {
  const { name, level, profession, roleIds, agentIds, opAreaIds } = operator
  return { name, level, profession, roleIds, agentIds, opAreaIds, allAgents: agentIds.length === 0, allAreas: opAreaIds.length === 0 }
}

/** What is sent: an empty list means all. */
export function valuesOf({ name, level, profession, roleIds, allAgents, agentIds, allAreas, opAreaIds }: Fields): OperatorValues {
  return {
    name: name.trim(),
    level,
    // A cleared choice leaves nothing behind.
    profession: profession ?? null,
    roleIds,
    agentIds: allAgents ? [] : (agentIds ?? []),
    opAreaIds: allAreas ? [] : (opAreaIds ?? []),
  }
}

/** Name of the draft: one for each version, so that an old draft is never laid over newer facts. */
function draftOf(operator: Operator | undefined): string {
  return operator ? `user_${operator.objectId}_${operator.version}` : 'user_new'
}

/** Adds or changes a person; shows what changes, and keeps a draft until it is saved. */
export function OperatorForm({ id, operator, onSave }: OperatorFormProps) {
  const { modal } = App.useApp()
  const client = useQueryClient()
  const [form] = Form.useForm<Fields>()
  const draftId = draftOf(operator)
  const original = operator ? fieldsOf(operator) : empty
  const draft = useDraft<Fields>(draftId)
  const now = Form.useWatch([], form) as Fields | undefined
  const roles = useQuery(enabledRoles)
  const known = new Set((roles.data ?? []).map((role) => role.id))
  // Roles that he holds and that nobody may be given any more stay until they are taken away.
  const held = (operator?.roleIds ?? []).map((roleId, index) => ({ id: roleId, name: operator?.roleNames[index] ?? roleId }))
  const roleOptions = [
    ...(roles.data ?? []).map((role) => ({ value: role.id, label: role.name })),
    ...held.filter((role) => !known.has(role.id)).map((role) => ({ value: role.id, label: `${role.name}（已停用）` })),
  ]
  const names: Names = {
    roles: new Map(roleOptions.map(({ value, label }) => [value, label])),
    agents: useAgentNames(),
    areas: useAreaNames([]),
  }
  const changes = operator && now?.name !== undefined ? changesOf(valuesOf(original), valuesOf({ ...original, ...now }), names) : []

  const save = (fields: Fields) => {
    const account = { phone: fields.phone?.trim() ?? '', state: fields.enabled === false ? 0 : 1 } as const
    return draft.saving(onSave(valuesOf(fields), account).catch(atField(form, fieldOf)))
  }
  const finish = (fields: Fields) => {
    if (!operator || changes.length === 0) return void save(fields)
    modal.confirm({
      title: `保存「${operator.name}」的变更？`,
      width: 560,
      content: (
        <>
          <p>权限和数据范围立即改变；正在使用的页面会按新的范围重新加载。</p>
          <ChangeTable changes={changes} />
        </>
      ),
      okText: '保存变更',
      cancelText: '返回修改',
      onOk: () => save(fields),
    })
  }
  const follow = (change: Partial<Fields>, all: Fields) => {
    let fields = all
    if ('agentIds' in change || 'allAgents' in change) {
      const agentIds = all.allAgents ? [] : (all.agentIds ?? [])
      const areas = client.getQueriesData<{ list: { id: string; agentId: string }[] }>({ queryKey: areaChoices([]).queryKey.slice(0, 2) })
      const opAreaIds = areasWithin(
        all.opAreaIds ?? [],
        agentIds,
        areas.flatMap(([, data]) => data?.list ?? []),
      )
      form.setFieldsValue({ opAreaIds })
      fields = { ...all, opAreaIds }
    }
    // The phone is not kept: it is personal, and quickly typed again.
    draft.keep({ ...fields, phone: undefined })
  }

  return (
    <Form<Fields>
      id={id}
      form={form}
      layout="vertical"
      initialValues={{ ...original, ...draft.restored }}
      onValuesChange={follow}
      onFinish={finish}
    >
      <DraftNotice draft={draft} onDiscard={() => form.setFieldsValue(original)} />
      {!operator && (
        <Form.Item
          name="phone"
          label="手机号"
          extra="用它收验证码登录；开通后不能修改"
          rules={[
            { required: true, message: '请输入手机号' },
            { pattern: /^1[3-9]\d{9}$/, message: '手机号格式不正确' },
          ]}
        >
          <Input placeholder="11 位手机号" maxLength={11} inputMode="numeric" autoComplete="off" />
        </Form.Item>
      )}
      <NameItem name="name" label="姓名" max={NAME_MAX} placeholder="例如：王小明" showCount />
      <Form.Item
        name="level"
        label="级别"
        extra="可以多选；能做什么由角色决定，部分权限只对某些级别开放"
        rules={[{ required: true, type: 'number', min: 1, max: 15, message: '请至少选择一个级别' }]}
      >
        <LevelPicker />
      </Form.Item>
      <Form.Item name="profession" label="工种" extra="在一线做什么；只是标明，不影响权限">
        <Select allowClear placeholder="未设置" options={[...professions]} />
      </Form.Item>
      <Form.Item
        name="roleIds"
        label="角色"
        extra="没有角色的人可以登录，但看不到任何页面"
        rules={[{ type: 'array', max: ROLES_MAX, message: `最多选择 ${ROLES_MAX} 个角色` }]}
      >
        <Select
          mode="multiple"
          showSearch={{ optionFilterProp: 'label' }}
          placeholder="按名称搜索"
          loading={roles.isFetching}
          options={roleOptions}
          notFoundContent={roles.isError ? '角色加载失败，请稍后再试' : '没有启用的角色，请先在角色列表中新增'}
        />
      </Form.Item>
      <ReachFields />
      {!operator && (
        <Form.Item name="enabled" label="立即启用" required valuePropName="checked">
          <Switch />
        </Form.Item>
      )}
      {changes.length > 0 && (
        <Form.Item label="本次变更" required>
          <ChangeTable changes={changes} />
        </Form.Item>
      )}
    </Form>
  )
}

/** Before and after, line by line. */
function ChangeTable({ changes }: { changes: readonly Change[] }) {
  return (
    <dl className="change-table" aria-label="变更内容">
      {changes.map(({ label, before, after }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <del>{before}</del> <span aria-hidden>→</span> <ins>{after}</ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}
