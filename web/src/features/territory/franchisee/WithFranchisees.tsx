import { Tabs } from 'antd'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { FranchiseeList } from './FranchiseePanel'
import './franchisee.css'

const TAB = 'tab'
/** As kept addresses name it. */
const FRANCHISEE = 'ally'
const AGENT = 'agent'

/** Franchisee info is edited from the agents' page: the agents, and a second tab beside them. The address names the tab. */
export function WithFranchisees({ children }: { children: ReactNode }) {
  const [params, setParams] = useSearchParams()
  const tab = params.get(TAB) === FRANCHISEE ? FRANCHISEE : AGENT
  // Filters of one list mean nothing to the other.
  const choose = (next: string) => setParams(next === FRANCHISEE ? { [TAB]: FRANCHISEE } : {}, { replace: true })
  return (
    <Tabs
      className="with-franchisees"
      activeKey={tab}
      onChange={choose}
      destroyOnHidden
      items={[
        { key: AGENT, label: '代理账号', children },
        { key: FRANCHISEE, label: '加盟商', children: <FranchiseeList /> },
      ]}
    />
  )
}
