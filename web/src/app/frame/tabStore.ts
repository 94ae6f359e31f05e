/** The tabs of this window. They are not kept over a reload, and end with the session. */
import { create } from 'zustand'
import { goTo } from '../nav'
import { useSession } from '../session/store'
import { activeTab, fullPath, noTabs, type Tabs } from './tabs'

export const useTabs = create<Tabs>(() => noTabs)

/** Takes `next`; when another page came to the front, the address follows it. */
export function showTabs(next: Tabs): void {
  const before = useTabs.getState()
  useTabs.setState(next)
  const tab = activeTab(next)
  if (tab && next.active !== before.active) void goTo(fullPath(tab.location), { replace: true })
}

useSession.subscribe((now, before) => {
  if (before.user && !now.user) useTabs.setState(noTabs)
})
