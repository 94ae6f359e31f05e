import type { Location } from 'react-router-dom'
import { describe, expect, it } from 'vitest'
import { type Route, routeAt } from '../routes'
import { activeTab, arrive, type Arrival, close, closeAll, closeLeft, closeRight, fullPath, noTabs, readTabs, tabLabel, type Tabs, TABS_MAX, writeTabs } from './tabs'

function place(path: string): [Location, Route] {
  const [pathname = '', query] = path.split('?')
  const route = routeAt(pathname)
  if (!route) throw new Error(`no route at ${path}`)
  return [{ pathname, search: query === undefined ? '' : `?${query}`, hash: '', state: null, key: path } as Location, route]
}

function go(tabs: Tabs, path: string, arrival: Arrival = 'PUSH', several = true): Tabs {
  return arrive(tabs, ...place(path), arrival, several)
}

const visit = (...paths: string[]) => paths.reduce((tabs, path) => go(tabs, path), noTabs)
const shown = (tabs: Tabs) => tabs.open.map((tab) => fullPath(tab.location))
const front = (tabs: Tabs) => {
  const tab = activeTab(tabs)
  return tab && fullPath(tab.location)
}
const idOf = (tabs: Tabs, path: string) => tabs.open.find((tab) => fullPath(tab.location) === path)?.id ?? 0

const three = visit('/log', '/permissions/role', '/permissions/user')

describe('tabs', () => {
  it('TAB-001 TAB-007 each visited page opens a tab and is on the screen', () => {
    expect(shown(three)).toEqual(['/log', '/permissions/role', '/permissions/user'])
    expect(front(three)).toBe('/permissions/user')
  })

  it('TAB-008 TAB-009 a page with a tab opens no second one, its tab becomes active', () => {
    const back = go(three, '/log')
    expect(shown(back)).toEqual(shown(three))
    expect(front(back)).toBe('/log')
    expect(idOf(back, '/log')).toBe(idOf(three, '/log'))
  })

  it('AMB-077 a tab is its full path: another query is another tab', () => {
    const two = visit('/permissions/role', '/permissions/role?keyword=a')
    expect(two.open).toHaveLength(2)
    expect(go(two, '/permissions/role?keyword=a').open).toHaveLength(2)
  })

  it('AMB-077 a page that rewrites its own address keeps its tab and what is in it', () => {
    const filtered = go(visit('/permissions/role'), '/permissions/role?page=2', 'REPLACE')
    expect(shown(filtered)).toEqual(['/permissions/role?page=2'])
    expect(filtered.active).toBe(1)
  })

  it('a page with a drawer over it, and without it again, keeps its tab', () => {
    const opened = go(visit('/permissions/role?keyword=a'), '/permissions/role?keyword=a&open=7')
    expect(shown(opened)).toEqual(['/permissions/role?keyword=a&open=7'])
    const back = go(opened, '/permissions/role?keyword=a', 'POP')
    expect(shown(back)).toEqual(['/permissions/role?keyword=a'])
    expect(back.active).toBe(1)
  })

  it('a reload is given the tabs back, and the address says which of them is shown', () => {
    const tabs = visit('/log', '/permissions/role?keyword=%E7%94%B2', '/permissions/user')
    const back = readTabs(writeTabs(tabs))
    expect(activeTab(back)).toBeUndefined()
    const after = go(back, '/permissions/role?keyword=%E7%94%B2', 'POP')
    expect(shown(after)).toEqual(shown(tabs))
    expect(front(after)).toBe('/permissions/role?keyword=%E7%94%B2')
    expect(go(after, '/operation/operator-log').active).toBe(4)
  })

  it('of kept tabs only pages come back, and of nonsense none', () => {
    expect(shown(readTabs('["/log","/login","/no-such-page","/permissions",7]'))).toEqual(['/log'])
    for (const text of [null, '', '{', '{"a":1}']) expect(readTabs(text).open).toEqual([])
  })

  it('a redirect from another page opens a tab of its own', () => {
    expect(shown(go(visit('/log'), '/permissions/role', 'REPLACE'))).toEqual(['/log', '/permissions/role'])
  })

  it('the live map has one tab, whichever bike is looked for', () => {
    const tabs = visit('/vehicle/operation-map', '/log', '/vehicle/operation-map?carId=7')
    expect(shown(tabs)).toEqual(['/vehicle/operation-map?carId=7', '/log'])
    expect(tabs.active).toBe(1)
  })

  it('TAB-003 close right closes what lies on the right, none on its left', () => {
    const rest = closeRight(three, idOf(three, '/log'))
    expect(shown(rest)).toEqual(['/log'])
    expect(shown(closeRight(three, idOf(three, '/permissions/role')))).toEqual(['/log', '/permissions/role'])
  })

  it('TAB-004 close left closes what lies on the left, none on its right', () => {
    expect(shown(closeLeft(three, idOf(three, '/permissions/role')))).toEqual(['/permissions/role', '/permissions/user'])
  })

  it('ERR-032 ERR-033 with nothing on that side nothing is closed, which is how the bar knows to warn', () => {
    expect(closeLeft(three, idOf(three, '/log'))).toBe(three)
    expect(closeRight(three, idOf(three, '/permissions/user'))).toBe(three)
  })

  it('TAB-005 AMB-076 close all keeps the tab that was asked and activates it', () => {
    const one = closeAll(three, idOf(three, '/permissions/role'))
    expect(shown(one)).toEqual(['/permissions/role'])
    expect(front(one)).toBe('/permissions/role')
  })

  it('TAB-006 the only tab cannot be closed', () => {
    const one = visit('/log')
    expect(close(one, one.active)).toBe(one)
  })

  it('TAB-010 after the active tab is closed the last one becomes active', () => {
    const first = go(three, '/log')
    expect(front(close(first, first.active))).toBe('/permissions/user')
    expect(front(closeLeft(first, idOf(first, '/permissions/user')))).toBe('/permissions/user')
  })

  it('closing a tab in the background leaves the active one', () => {
    expect(front(close(three, idOf(three, '/log')))).toBe('/permissions/user')
  })

  it('FRAME-008 without tabs there is one page, which keeps its state while only its query changes', () => {
    const one = go(go(noTabs, '/log', 'PUSH', false), '/permissions/role', 'PUSH', false)
    expect(shown(one)).toEqual(['/permissions/role'])
    const same = go(one, '/permissions/role?page=2', 'PUSH', false)
    expect(same.active).toBe(one.active)
    expect(go(three, '/permissions/user', 'POP', false).open).toHaveLength(1)
  })

  it('no more than twenty pages stay open, the one opened first gives way', () => {
    const many = Array.from({ length: TABS_MAX + 1 }, (_, index) => `/permissions/role?page=${index}`)
    const tabs = visit(...many)
    expect(tabs.open).toHaveLength(TABS_MAX)
    expect(shown(tabs)[0]).toBe('/permissions/role?page=1')
    expect(new Set(tabs.open.map((tab) => tab.id)).size).toBe(TABS_MAX)
  })

  it('of two tabs with one title each says what it shows', () => {
    const { open } = visit('/permissions/role', '/permissions/role?keyword=客服', '/log')
    expect(open.map((tab) => tabLabel(tab, open))).toEqual(['角色列表', '角色列表 · 客服', '首页'])
  })
})
