/** The tabs of this window. A reload keeps them, for the one who opened them; they end with the session. */
import { create } from 'zustand'
import { goTo } from '../nav'
import { useSession } from '../session/store'
import { activeTab, fullPath, noTabs, readTabs, type Tabs, writeTabs } from './tabs'

/** One for each person: who signs in after another in the same window does not find the other's pages. */
const keyOf = (person: string) => `ebike_ops__tabs_${person}`

function person(): string | null {
  return localStorage.getItem('objectId')
}

function kept(): Tabs {
  const somebody = person()
  return somebody === null ? noTabs : readTabs(sessionStorage.getItem(keyOf(somebody)))
}

export const useTabs = create<Tabs>(kept)

useTabs.subscribe((tabs) => {
  const somebody = person()
  if (somebody !== null) sessionStorage.setItem(keyOf(somebody), writeTabs(tabs))
})

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
