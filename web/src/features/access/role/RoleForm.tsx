import { Form, Radio, Switch } from 'antd'
import { DraftNotice } from '@/kit/DraftNotice'
import { atField } from '@/kit/fieldErrors'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { useDraft } from '@/kit/useDraft'
import { PermissionTree } from '@/kit/permission/PermissionTree'
import { fieldOf, NAME_MAX, REMARK_MAX, type Role, type RoleState, type RoleValues, tiers } from './role'
import { useCodeReview } from '@/kit/permission/useCodeReview'

interface Fields extends RoleValues {
  enabled?: boolean
}

interface RoleFormProps {
  id: string
  /** The role to change; none to add one. */
  role?: Role
  /** How many people hold it now; giving it to somebody is no new version of the role. */
  users?: number
  /** Shows it without letting it be changed. */
  readOnly?: boolean
  /** Resolves when it is saved, rejects when it is not; the caller says why. */
  onSave(values: RoleValues, state: RoleState): Promise<unknown>
}

const empty: Fields = { name: '', tier: 2, remark: '', codes: [], enabled: true }

/** Name of the draft: one for each version, so that an old draft is never laid over a newer role. */
function draftOf(role: Role | undefined): string {
  return role ? `role_${role.id}_${role.version}` : 'role_new'
}

/** Adds or changes a role; shows what changes, and keeps a draft until it is saved. */
export function RoleForm({ id, role, users = 0, readOnly = false, onSave }: RoleFormProps) {
  const [form] = Form.useForm<Fields>()
  const draftId = draftOf(role)
  const original: Fields = role ? { name: role.name, tier: role.tier, remark: role.remark, codes: role.codes } : empty
  const draft = useDraft<Fields>(draftId)
  const tier = Form.useWatch('tier', form) ?? original.tier
  const codes = Form.useWatch('codes', form) ?? original.codes
  const review = useCodeReview(role?.codes, codes)

  const save = ({ enabled = true, ...values }: Fields) => {
    const trimmed = { ...values, name: values.name.trim(), remark: values.remark.trim() }
    return draft.saving(onSave(trimmed, enabled ? 1 : 0).catch(atField(form, fieldOf)))
  }
  const finish = (fields: Fields) =>
    review.save(() => save(fields), {
      title: `保存角色「${fields.name}」的权限变更？`,
      effect: users > 0 ? `${users} 位用户的权限将立即改变。` : '目前没有用户使用这个角色。',
    })

  return (
    <Form<Fields>
      id={id}
      form={form}
      layout="vertical"
      disabled={readOnly}
      initialValues={{ ...original, ...draft.restored }}
      onValuesChange={(_, all) => draft.keep(all)}
      onFinish={finish}
    >
      <DraftNotice draft={draft} onDiscard={() => form.setFieldsValue(original)} />
      <NameItem name="name" label="角色名称" max={NAME_MAX} placeholder="例如：城市运营主管" showCount />
      <Form.Item name="tier" label="权限级别" rules={[{ required: true }]} extra="级别决定可以选择哪些权限">
        <Radio.Group options={[...tiers]} optionType="button" />
      </Form.Item>
      <RemarkItem max={REMARK_MAX} placeholder="这个角色给谁用、负责什么" />
      {!role && (
        <Form.Item name="enabled" label="立即启用" required valuePropName="checked">
          <Switch />
        </Form.Item>
      )}
      <Form.Item
        name="codes"
        label="权限"
        extra="勾选分组会一并勾选其下的页面和操作；只能授予您自己拥有的权限"
        rules={[{ type: 'array', min: 1, required: true, message: '请至少选择一项权限' }]}
      >
        <PermissionTree tier={tier} />
      </Form.Item>
      {review.line}
    </Form>
  )
}
