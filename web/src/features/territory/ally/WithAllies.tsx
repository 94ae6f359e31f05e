import { Tabs } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import AllyPanel from './AllyPanel'
import './ally.css'

const TAB = 'tab'
const ALLY = 'ally'
const ACCOUNT = 'account'

/** Ally info is edited from the accounts' page: the accounts, and a second tab beside them. The address names the tab. */
export function WithAllies({ children }: { children: ReactNode }) {
  const [params, setParams] = useSearchParams()
  const [tab, setTab] = useState(params.get(TAB) === ALLY ? ALLY : ACCOUNT)
  const named = params.get(TAB) === ALLY
  // A list writes its own address and knows of no tabs.
  useEffect(() => {
    if (tab !== ALLY || named) return
    setParams(
      (now) => {
        const next = new URLSearchParams(now)
        next.set(TAB, ALLY)
        return next
      },
      { replace: true },
    )
  }, [tab, named, setParams])
  const choose = (next: string) => {
    setTab(next)
    // Filters of one list mean nothing to the other.
    setParams(next === ALLY ? { [TAB]: ALLY } : {}, { replace: true })
  }
  return (
    <Tabs
      className="with-allies"
      activeKey={tab}
      onChange={choose}
      destroyOnHidden
      items={[
        { key: ACCOUNT, label: '代理账号', children },
        { key: ALLY, label: '加盟商', children: <AllyPanel /> },
      ]}
    />
  )
}
