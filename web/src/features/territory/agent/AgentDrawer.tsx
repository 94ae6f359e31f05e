import { useQuery } from '@tanstack/react-query'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { EnabledTag } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { FranchiseesOfAgent } from '../franchisee/FranchiseePanel'
import { agentInfo } from './agent'
import { AgentForm } from './AgentForm'
import { Contract } from './Contract'

const words = {
  untitled: '代理详情',
  failure: '代理账号加载失败',
  none: '代理不存在、已删除，或不在您的数据范围内',
  subject: '这个代理',
}

/** Shows an agent and its franchisees, and changes it. */
export function AgentDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(agentInfo(id))}
      category="agent"
      words={words}
      title={({ company }) => company}
      facts={({ state, level, parentCompany, areaCount, childCount, contractBegin, contractEnd, createdAt }) => [
        { name: '状态', value: <EnabledTag state={state} /> },
        { name: '级别', value: `${level} 级${parentCompany ? `，隶属 ${parentCompany}` : ''}` },
        { name: '服务区', value: <span className="figure">{areaCount}</span> },
        { name: '下级代理', value: <span className="figure">{childCount}</span> },
        { name: '合同期', value: <Contract begin={contractBegin} end={contractEnd} /> },
        { name: '创建时间', value: <Time at={createdAt} /> },
      ]}
      tabs={({ agentId }) => [{ key: 'franchisees', label: '加盟商', children: <FranchiseesOfAgent agentId={agentId} /> }]}
      onClose={onClose}
    >
      {(agent) => <AgentForm agent={agent} onSaved={onClose} />}
    </RecordDrawer>
  )
}
