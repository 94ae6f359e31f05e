/** What a person with certain codes sees of the application, from the route table itself. Pure. */
import { ALL, isGroup, menuChildren, permitted } from '@/app/access'
import { type Route, routes } from '@/app/routes'
import { allows } from '@/kit/permission/held'

/** A menu entry as it would show, with those below it. */
export interface SeenEntry {
  route: Route
  children: SeenEntry[]
}

/** A menu entry that does not show, and why. */
export interface HiddenEntry {
  route: Route
  /** Titles of the groups above it. */
  above: string
  why: string
  /** Pages that are hidden with it, when it is a group. */
  below: number
}

/** A button or block that needs codes. */
export interface Restricted {
  label: string
  /** Where it is. */
  place: string
  need: string
}

/** Every restricted element of the application: what `usePermit` and `Permit` are asked for. */
export const restrictedElements: readonly Restricted[] = [
  { label: '代理商选择', place: '顶部栏', need: '01' },
  { label: '车辆搜索框', place: '顶部栏', need: '0301||0302' },
  { label: '关锁、开锁', place: '运营地图', need: '0301||0305' },
  { label: '寻车铃、电门开、电门关、电池仓、重启', place: '运营地图', need: '0305' },
  { label: '角色模板选择', place: '代理商账号', need: '1102' },
  { label: '操作记录', place: '各记录的详情', need: '1404' },
]

/** The codes as the application itself holds them. */
export function sessionCodes(codes: readonly string[]): ReadonlySet<string> {
  return new Set([...codes, ALL])
}

/** The menu as he would see it. */
export function seenMenu(codes: ReadonlySet<string>, path = '/'): SeenEntry[] {
  return menuChildren(path, codes).map((route) => ({ route, children: isGroup(route) ? seenMenu(codes, route.path) : [] }))
}

/** The title of a code: that of the page or element it opens. */
export function titleOf(code: string): string {
  const route = routes.find(({ permission }) => permission.includes(code))
  return route?.title ?? restrictedElements.find(({ need }) => need === code)?.label ?? code
}

function named(code: string): string {
  const title = titleOf(code)
  return title === code ? code : `${code}（${title}）`
}

/** What `need` asks for, in words. */
export function needText(need: string): string {
  return need
    .split('||')
    .map((alternative) => alternative.split(',').map(named).join(' 和 '))
    .join(' 或 ')
}

/** The first thing in the way of a page, seen from the top. */
function reasonOf(route: Route, chain: readonly Route[], codes: ReadonlySet<string>): string {
  for (const one of [...chain, route]) {
    const open = one.permission.length === 0 || one.permission.some((code) => code === ALL || codes.has(code))
    if (!open) {
      const missing = `缺少权限 ${one.permission.map(named).join(' 或 ')}`
      return one === route ? missing : `上级分组${missing}`
    }
  }
  return '分组内没有他可见的页面'
}

function pagesBelow(path: string): number {
  return routes.filter((route) => route.parent === path && !route.hidden && route.page !== null).length
}

/** Menu entries that stay hidden from him; a group that is hidden stands for all below it only when it lacks its own code. */
export function hiddenEntries(codes: ReadonlySet<string>, path = '/', chain: readonly Route[] = []): HiddenEntry[] {
  const shown = new Set(menuChildren(path, codes).map((route) => route.path))
  const hidden: HiddenEntry[] = []
  for (const route of routes) {
    if (route.parent !== path || route.hidden) continue
    if (!shown.has(route.path)) {
      const below = isGroup(route) && !permitted(route, codes) ? pagesBelow(route.path) : 0
      hidden.push({ route, above: chain.map(({ title }) => title).join(' / '), why: reasonOf(route, chain, codes), below })
    }
    if (isGroup(route) && permitted(route, codes)) hidden.push(...hiddenEntries(codes, route.path, [...chain, route]))
  }
  return hidden
}

/** How many pages the menu could show at most, and how many of them show. */
export function countPages(codes: ReadonlySet<string>): { shown: number; all: number } {
  const inMenu = routes.filter((route) => !route.hidden && route.layout === 'root' && route.page !== null)
  return { shown: inMenu.filter((route) => permitted(route, codes)).length, all: inMenu.length }
}

export interface SeenElement extends Restricted {
  shown: boolean
  /** Why not; empty when it shows. */
  why: string
}

/** Buttons and blocks, each with whether he sees it. */
export function seenElements(codes: ReadonlySet<string>): SeenElement[] {
  return restrictedElements.map((element) => {
    const shown = allows(element.need, codes)
    return { ...element, shown, why: shown ? '' : `需要权限 ${needText(element.need)}` }
  })
}

/** Whether his menu depends on more than his codes: the financial group also asks for the state of a payment account. */
export function dependsOnAccount(codes: ReadonlySet<string>): boolean {
  return [...codes].some((code) => code.includes('financial'))
}
