import { describe, expect, it } from 'vitest'
import { menuChildren } from '@/app/access'
import { routes } from '@/app/routes'
import { countPages, dependsOnAccount, hiddenEntries, needText, restrictedElements, seenElements, seenMenu, sessionCodes, titleOf } from './preview'

const sources = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.*', '!/src/features/access/operator/preview.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

function titles(...codes: string[]): string[] {
  return seenMenu(sessionCodes(codes)).flatMap(({ route, children }) => [route.title, ...children.map((child) => child.route.title)])
}

function why(path: string, ...codes: string[]): string | undefined {
  return hiddenEntries(sessionCodes(codes)).find(({ route }) => route.path === path)?.why
}

describe('seeing as another person', () => {
  it('the menu is just what the application would draw for him', () => {
    expect(titles('10', '1002')).toEqual(['权限管理', '人员列表'])
    const codes = sessionCodes(['10', '1002'])
    expect(seenMenu(codes).map(({ route }) => route.path)).toEqual(menuChildren('/', codes).map(({ path }) => path))
  })

  it('a page whose group he lacks is hidden, and the group is named', () => {
    expect(titles('1002')).toEqual([])
    expect(why('/permissions', '1002')).toBe('缺少权限 10（权限管理）')
    expect(hiddenEntries(sessionCodes(['1002'])).find(({ route }) => route.path === '/permissions')?.below).toBe(2)
  })

  it('a page is hidden for want of its own code', () => {
    expect(why('/permissions/role', '10', '1002')).toBe('缺少权限 1001（角色列表）')
    expect(why('/permissions/user', '10', '1002')).toBeUndefined()
  })

  it('a group without a visible page says so', () => {
    expect(why('/permissions', '10')).toBe('分组内没有他可见的页面')
  })

  it('everything is either seen or hidden, and nothing both', () => {
    for (const codes of [[], ['10', '1002'], routes.flatMap(({ permission }) => [...permission])]) {
      const held = sessionCodes(codes)
      const hidden = hiddenEntries(held).map(({ route }) => route.path)
      const seen = seenMenu(held).flatMap(({ route, children }) => [route.path, ...children.map((child) => child.route.path)])
      expect(seen.filter((path) => hidden.includes(path))).toEqual([])
      const below = routes.filter(({ hidden: off, parent, layout }) => !off && parent !== null && layout === 'root').map(({ path }) => path)
      const covered = below.filter((path) => seen.includes(path) || hidden.some((one) => path === one || routes.find((route) => route.path === path)?.parent === one))
      expect(covered).toEqual(below)
    }
  })

  it('somebody with every code sees every page', () => {
    const { shown, all } = countPages(sessionCodes(routes.flatMap(({ permission }) => [...permission])))
    expect(shown).toBe(all)
    expect(countPages(sessionCodes([])).shown).toBe(0)
  })

  it('buttons follow the same rule as on their pages', () => {
    const shown = (...codes: string[]) =>
      seenElements(sessionCodes(codes))
        .filter((element) => element.shown)
        .map(({ label }) => label)
    expect(shown('01')).toEqual(['代理商选择'])
    expect(shown('0301')).toEqual(['车辆搜索框', '关锁、开锁'])
    expect(shown()).toEqual([])
    expect(seenElements(sessionCodes([])).every(({ why: reason }) => reason !== '')).toBe(true)
    expect(needText('0301||0302')).toBe('0301（运营地图） 或 0302（车辆查询）')
    expect(titleOf('01')).toBe('代理商选择')
  })

  it('no button is listed that no page asks about', () => {
    const text = Object.values(sources).join('\n')
    for (const { need } of restrictedElements) expect(text.includes(`'${need}'`) || text.includes(`need="${need}"`), need).toBe(true)
  })

  it('the financial group is told to depend on more than codes', () => {
    expect(dependsOnAccount(sessionCodes(['financial', 'financial_01']))).toBe(true)
    expect(dependsOnAccount(sessionCodes(['10']))).toBe(false)
  })
})
