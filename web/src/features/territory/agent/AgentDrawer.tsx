import { useQuery } from '@tanstack/react-query'
import { Empty } from 'antd'
import { useState } from 'react'
import { Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { EnabledTag } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { type Agent, agentInfo } from './agent'
import { AgentForm } from './AgentForm'
import { Contract } from './Contract'
import { useChangeAgent, useCreateAgent } from './useAgentCommands'

const FORM = 'agent-form'

/** Opens an agent. */
export function AddAgentDrawer({ onClose }: { onClose: () => void }) {
  const create = useCreateAgent()
  return (
    <FormDrawer title="新增代理" wide form={FORM} saving={create.isPending} onClose={onClose}>
      <AgentForm
        id={FORM}
        onSave={(values, { phone, parentId, state }) => create.mutateAsync({ ...values, phone, parentId, state }).then(onClose)}
      />
    </FormDrawer>
  )
}

/** Shows an agent and changes it. */
export function AgentDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(agentInfo(id))
  const change = useChangeAgent()
  return (
    <FormDrawer
      title={query.data?.company ?? '代理详情'}
      wide
      loading={query.isLoading}
      form={query.data ? FORM : undefined}
      saving={change.isPending}
      onClose={onClose}
    >
      <LoadFailure query={query} text="代理账号加载失败" />
      {query.data === null && <Empty description="代理不存在、已删除，或不在您的数据范围内" />}
      {query.data && (
        <AgentEditor key={id} latest={query.data} onSave={(values) => change.mutateAsync(values).then(onClose)} />
      )}
    </FormDrawer>
  )
}

interface EditorProps {
  latest: Agent
  onSave(values: Parameters<ReturnType<typeof useChangeAgent>['mutateAsync']>[0]): Promise<unknown>
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function AgentEditor({ latest, onSave }: EditorProps) {
  const [agent, setAgent] = useState(latest)
  return (
    <>
      <NewerNotice subject="这个代理" opened={agent} latest={latest} onLoad={setAgent} />
      <AgentFacts agent={latest} />
      <AgentForm
        key={agent.version}
        id={FORM}
        agent={agent}
        onSave={(values, { phone }) =>
          onSave({ ...values, ...(phone === '' ? {} : { phone }), agentId: agent.agentId, version: agent.version })
        }
      />
    </>
  )
}

function AgentFacts({ agent }: { agent: Agent }) {
  const level = `${agent.level} 级${agent.parentCompany ? `，隶属 ${agent.parentCompany}` : ''}`
  return (
    <Facts
      facts={[
        { name: '状态', value: <EnabledTag state={agent.state} /> },
        { name: '级别', value: level },
        { name: '服务区', value: <span className="figure">{agent.areaCount}</span> },
        { name: '下级代理', value: <span className="figure">{agent.childCount}</span> },
        { name: '合同期', value: <Contract begin={agent.contractBegin} end={agent.contractEnd} /> },
        { name: '创建时间', value: <Time at={agent.createdAt} /> },
      ]}
    />
  )
}
