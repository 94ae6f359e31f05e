import { Form } from 'antd'
import { PermissionTree } from '@/kit/permission/PermissionTree'
import { useCodeReview } from '@/kit/permission/useCodeReview'
import { DraftNotice } from '@/kit/DraftNotice'
import { atField } from '@/kit/fieldErrors'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { useDraft } from '@/kit/useDraft'
import { type AgentRole, type AgentRoleValues, agentTree, EVERY_TIER, fieldOf, NAME_MAX, REMARK_MAX } from './agentRole'

interface AgentRoleFormProps {
  id: string
  /** The template to change; none to add one. */
  role?: AgentRole
  /** How many agents use it now; giving it to one is no new version of the template. */
  agents?: number
  /** Resolves when it is saved, rejects when it is not; the caller says why. */
  onSave(values: AgentRoleValues): Promise<unknown>
}

const empty: AgentRoleValues = { name: '', remark: '', codes: [] }

/** Name of the draft: one for each version, so that an old draft is never laid over a newer template. */
function draftOf(role: AgentRole | undefined): string {
  return role ? `agent_role_${role.id}_${role.version}` : 'agent_role_new'
}

/** Adds or changes a role template; shows what changes, and keeps a draft until it is saved. */
export function AgentRoleForm({ id, role, agents = 0, onSave }: AgentRoleFormProps) {
  const [form] = Form.useForm<AgentRoleValues>()
  const draftId = draftOf(role)
  const original: AgentRoleValues = role ? { name: role.name, remark: role.remark, codes: role.codes } : empty
  const draft = useDraft<AgentRoleValues>(draftId)
  const codes = Form.useWatch('codes', form) ?? original.codes
  const review = useCodeReview(role?.codes, codes, agentTree)

  const save = (values: AgentRoleValues) =>
    draft.saving(onSave({ ...values, name: values.name.trim(), remark: values.remark.trim() }).catch(atField(form, fieldOf)))
  const finish = (values: AgentRoleValues) =>
    review.save(() => save(values), {
      title: `保存角色模板「${values.name}」的权限变更？`,
      effect: agents > 0 ? `${agents} 个代理的人员权限上限将立即改变。` : '目前没有代理使用这个模板。',
    })

  return (
    <Form<AgentRoleValues>
      id={id}
      form={form}
      layout="vertical"
      initialValues={{ ...original, ...draft.restored }}
      onValuesChange={(_, all) => draft.keep(all)}
      onFinish={finish}
    >
      <DraftNotice draft={draft} onDiscard={() => form.setFieldsValue(original)} />
      <NameItem name="name" label="模板名称" max={NAME_MAX} placeholder="例如：城市代理" showCount />
      <RemarkItem max={REMARK_MAX} placeholder="这个模板给哪类代理用" />
      <Form.Item
        name="codes"
        label="权限上限"
        extra="代理的人员最多拥有这里勾选的权限，无论他们的角色包含什么；只能选择您自己拥有的权限"
        rules={[{ type: 'array', min: 1, required: true, message: '请至少选择一项权限' }]}
      >
        <PermissionTree tier={EVERY_TIER} source={agentTree} />
      </Form.Item>
      {review.line}
    </Form>
  )
}
