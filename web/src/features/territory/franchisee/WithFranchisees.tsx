import { Tabs } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import FranchiseePanel from './FranchiseePanel'
import './franchisee.css'

const TAB = 'tab'
/** As kept addresses name it. */
const FRANCHISEE = 'ally'
const AGENT = 'agent'

/** Franchisee info is edited from the agents' page: the agents, and a second tab beside them. The address names the tab. */
export function WithFranchisees({ children }: { children: ReactNode }) {
  const [params, setParams] = useSearchParams()
  const [tab, setTab] = useState(params.get(TAB) === FRANCHISEE ? FRANCHISEE : AGENT)
  const named = params.get(TAB) === FRANCHISEE
  // A list writes its own address and knows of no tabs.
  useEffect(() => {
    if (tab !== FRANCHISEE || named) return
    setParams(
      (now) => {
        const next = new URLSearchParams(now)
        next.set(TAB, FRANCHISEE)
        return next
      },
      { replace: true },
    )
  }, [tab, named, setParams])
  const choose = (next: string) => {
    setTab(next)
    // Filters of one list mean nothing to the other.
    setParams(next === FRANCHISEE ? { [TAB]: FRANCHISEE } : {}, { replace: true })
  }
  return (
    <Tabs
      className="with-franchisees"
      activeKey={tab}
      onChange={choose}
      destroyOnHidden
      items={[
        { key: AGENT, label: '代理账号', children },
        { key: FRANCHISEE, label: '加盟商', children: <FranchiseePanel /> },
      ]}
    />
  )
}
