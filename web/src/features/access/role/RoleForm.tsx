import { Form, Radio, Switch } from 'antd'
import { command } from '@/api/client'
import { CodesItem } from '@/kit/permission/CodesItem'
import { useCodeReview } from '@/kit/permission/useCodeReview'
import { RecordForm } from '@/kit/record/RecordForm'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { type Role, ROLE_PATH, stale, tiers } from './role'
import { SightItems } from './SightItems'
import { rangeOf, rangeText } from './sight'

interface RoleFormProps {
  /** The role to change; none to add one. */
  role?: Role
  /** How many people hold it now; giving it to somebody is no new version of the role. */
  users?: number
  onSaved(): void
}

interface Fields extends Pick<Role, 'name' | 'tier' | 'remark' | 'codes'> {
  /** Which bikes are seen, as they are typed. */
  ranges: string[]
  ridingStates: number[]
  voltageSchemeIds: string[]
  /** Of a new one. */
  enabled?: boolean
}

const empty: Fields = { name: '', tier: 2, remark: '', codes: [], ranges: [], ridingStates: [], voltageSchemeIds: [], enabled: true }
const fieldOf = {
  'role-name-taken': 'name',
  'role-too-many-ranges': 'ranges',
  'role-bad-range': 'ranges',
  'role-beyond-sight': 'ranges',
  'role-bad-riding-state': 'ridingStates',
  'role-too-many-schemes': 'voltageSchemeIds',
}

function fieldsOf({ name, tier, remark, codes, viewConfig }: Role): Fields {
  const { carRanges, ridingStates, voltageSchemeIds } = viewConfig
  return { name, tier, remark, codes, ranges: carRanges.map(rangeText), ridingStates, voltageSchemeIds }
}

/** Adds or changes a role, and shows what changes; the system's own are only shown. */
export function RoleForm({ role, users = 0, onSaved }: RoleFormProps) {
  const create = useCommand({ run: command.post(ROLE_PATH), stale, done: '角色已新增', fieldOf })
  const change = useCommand({ run: command.put(ROLE_PATH), stale, done: '角色已保存', fieldOf })
  const original = role ? fieldsOf(role) : empty
  const [form] = Form.useForm<Fields>()
  const tier = Form.useWatch('tier', form) ?? original.tier
  const review = useCodeReview(role?.codes, Form.useWatch('codes', form) ?? original.codes)
  const effect = users > 0 ? `${users} 位用户的权限将立即改变。` : '目前没有用户使用这个角色。'
  const save = ({ enabled, ranges, ridingStates, voltageSchemeIds, ...others }: Fields) => {
    const values = { ...others, viewConfig: { carRanges: ranges.flatMap((text) => rangeOf(text) ?? []), ridingStates, voltageSchemeIds } }
    return role ? change.mutateAsync({ ...values, id: role.id, version: role.version }) : create.mutateAsync({ ...values, state: enabled ? 1 : 0 })
  }
  return (
    <RecordForm<Fields>
      draft={['role', role?.id, role?.version]}
      form={form}
      original={original}
      fieldOf={fieldOf}
      readOnly={role?.system}
      confirm={({ name }, go) => review.save(go, { title: `保存角色「${name}」的权限变更？`, effect })}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      <NameItem name="name" label="角色名称" max={20} placeholder="例如：城市运营主管" showCount />
      <Form.Item name="tier" label="权限级别" rules={[{ required: true }]} extra="级别决定可以选择哪些权限">
        <Radio.Group options={[...tiers]} optionType="button" />
      </Form.Item>
      <RemarkItem max={200} placeholder="这个角色给谁用、负责什么" />
      {!role && (
        <Form.Item name="enabled" label="立即启用" required valuePropName="checked">
          <Switch />
        </Form.Item>
      )}
      <CodesItem label="权限" extra="勾选分组会一并勾选其下的页面和操作；只能授予您自己拥有的权限" tier={tier} />
      {review.line}
      <SightItems original={original.voltageSchemeIds} />
    </RecordForm>
  )
}
