import { Form } from 'antd'
import { command } from '@/api/client'
import { CodesItem } from '@/kit/permission/CodesItem'
import { useCodeReview } from '@/kit/permission/useCodeReview'
import { RecordForm } from '@/kit/record/RecordForm'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { AGENT_ROLE_PATH, type AgentRole, agentTree, stale } from './agentRole'

interface AgentRoleFormProps {
  /** The template to change; none to add one. */
  role?: AgentRole
  /** How many agents use it now; giving it to one is no new version of the template. */
  agents?: number
  onSaved(): void
}

const fieldOf = { 'agent-role-name-taken': 'name' }

/** Adds or changes a role template, and shows what changes. */
export function AgentRoleForm({ role, agents = 0, onSaved }: AgentRoleFormProps) {
  const create = useCommand({ run: command.post(AGENT_ROLE_PATH), stale, done: '角色模板已新增', fieldOf })
  const change = useCommand({ run: command.put(AGENT_ROLE_PATH), stale, done: '角色模板已保存', fieldOf })
  const { id, version, name = '', remark = '', codes = [] } = role ?? {}
  const original = { name, remark, codes }
  const [form] = Form.useForm<typeof original>()
  const review = useCodeReview(role?.codes, Form.useWatch('codes', form) ?? codes, agentTree)
  const effect = agents > 0 ? `${agents} 个代理的人员权限上限将立即改变。` : '目前没有代理使用这个模板。'
  return (
    <RecordForm
      draft={['agent_role', id, version]}
      form={form}
      original={original}
      fieldOf={fieldOf}
      confirm={(fields, save) => review.save(save, { title: `保存角色模板「${fields.name}」的权限变更？`, effect })}
      onSave={(values) => (role ? change.mutateAsync({ ...values, id: role.id, version: role.version }) : create.mutateAsync(values)).then(onSaved)}
    >
      <NameItem name="name" label="模板名称" max={20} placeholder="例如：城市代理" showCount />
      <RemarkItem max={200} placeholder="这个模板给哪类代理用" />
      <CodesItem
        label="权限上限"
        extra="代理的人员最多拥有这里勾选的权限，无论他们的角色包含什么；只能选择您自己拥有的权限"
        source={agentTree}
      />
      {review.line}
    </RecordForm>
  )
}
