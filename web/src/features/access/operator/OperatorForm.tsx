import { useQuery, useQueryClient } from '@tanstack/react-query'
import { App, Form, Select } from 'antd'
import { api, command } from '@/api/client'
import { AREA_CHOICES, type AreaChoice } from '@/kit/areaChoices'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { EnabledItem, PhoneItem } from '@/kit/record/items'
import { RecordForm, without } from '@/kit/record/RecordForm'
import { NameItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { areasWithin, type Change, changesOf, type Names } from './changes'
import { LevelPicker } from './LevelPicker'
import { enabledRoles, type Operator, OPERATOR_PATH, type OperatorValues, stale } from './operator'
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
  /** The person to change; none to add one. */
  operator?: Operator
  onSaved(): void
}

/** Most roles that one person holds. */
const ROLES_MAX = 50
const fieldOf = { 'phone-taken': 'phone' }

/** A new person sees nothing that nobody chose for him. */
const empty: Fields = { phone: '', name: '', level: 2, profession: null, roleIds: [], allAgents: false, agentIds: [], allAreas: true, opAreaIds: [], enabled: true }

function fieldsOf(operator: Operator): Fields {
  const { name, level, profession, roleIds, agentIds, opAreaIds } = operator
  return { name, level, profession, roleIds, agentIds, opAreaIds, allAgents: agentIds.length === 0, allAreas: opAreaIds.length === 0 }
}

/** What is sent: an empty list means all. */
export function valuesOf({ name, level, profession, roleIds, allAgents, agentIds, allAreas, opAreaIds }: Fields): OperatorValues {
  return {
    name,
    level,
    // A cleared choice leaves nothing behind.
    profession: profession ?? null,
    roleIds,
    agentIds: allAgents ? [] : (agentIds ?? []),
    opAreaIds: allAreas ? [] : (opAreaIds ?? []),
  }
}

/** Adds or changes a person; shows what changes, and keeps a draft until it is saved. */
export function OperatorForm({ operator, onSaved }: OperatorFormProps) {
  const { modal } = App.useApp()
  const client = useQueryClient()
  const create = useCommand({ run: command.post(OPERATOR_PATH), stale, done: '人员已新增', fieldOf })
  const change = useCommand({
    run: ({ phone, ...values }: OperatorValues & { phone: string; version: number }, options) =>
      api.post(`${OPERATOR_PATH}/{phone}`, values, { ...options, path: { phone } }),
    stale,
    done: '人员已保存',
    fieldOf,
  })
  const [form] = Form.useForm<Fields>()
  const original = operator ? fieldsOf(operator) : empty
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
    const values = valuesOf(fields)
    if (operator) return change.mutateAsync({ ...values, phone: operator.phone, version: operator.version })
    return create.mutateAsync({ ...values, phone: fields.phone ?? '', state: fields.enabled === false ? 0 : 1 })
  }
  const confirm = (_: Fields, go: () => Promise<unknown>) => {
    if (!operator || changes.length === 0) return void go()
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
      onOk: go,
    })
  }
  /** Areas go with the agent that they belong to. */
  const follow = (changed: Partial<Fields>, all: Fields): Partial<Fields> => {
    if (!('agentIds' in changed || 'allAgents' in changed)) return {}
    const agentIds = all.allAgents ? [] : (all.agentIds ?? [])
    const known = client.getQueriesData<AreaChoice[]>({ queryKey: AREA_CHOICES }).flatMap(([, areas]) => areas ?? [])
    return { opAreaIds: areasWithin(all.opAreaIds ?? [], agentIds, known) }
  }

  return (
    <RecordForm<Fields>
      draft={['user', operator?.objectId, operator?.version]}
      form={form}
      original={original}
      // Personal, and quickly typed again.
      kept={(fields) => without(fields, 'phone')}
      follow={follow}
      fieldOf={fieldOf}
      confirm={confirm}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      {!operator && (
        <PhoneItem name="phone" label="手机号" required extra="用它收验证码登录；开通后不能修改" wrong="手机号格式不正确" placeholder="11 位手机号" />
      )}
      <NameItem name="name" label="姓名" max={20} placeholder="例如：王小明" showCount />
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
      <ChoiceItem
        name="roleIds"
        label="角色"
        mode="multiple"
        extra="没有角色的人可以登录，但看不到任何页面"
        rules={[{ type: 'array', max: ROLES_MAX, message: `最多选择 ${ROLES_MAX} 个角色` }]}
        placeholder="按名称搜索"
        query={roles}
        failed="角色加载失败，请稍后再试"
        none="没有启用的角色，请先在角色列表中新增"
        options={roleOptions}
      />
      <ReachFields />
      {!operator && <EnabledItem />}
      {changes.length > 0 && (
        <Form.Item label="本次变更" required>
          <ChangeTable changes={changes} />
        </Form.Item>
      )}
    </RecordForm>
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
