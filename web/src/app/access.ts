/** Who may go where. Pure: the address, the session and the route table in, a decision out. */
import { COMING, exemptNames, paths, type Route, routeAt, routes } from './routes'

/** Every logged-in user holds it. */
export const ALL = 'all'

/** A link back that stays inside the application, or null. */
export function safeRedirect(target: string | null | undefined): string | null {
  if (!target || !target.startsWith('/') || target.startsWith('//') || target.includes('\\')) return null
  return target
}

/** `path` with a query `redirect` that holds the full path left. */
export function withRedirect(path: string, fullPath: string): string {
  return `${path}?redirect=${encodeURIComponent(fullPath)}`
}

/** The query of a full path after the hash, without its question mark. */
export function queryAfterHash(fullPath: string): string {
  const start = fullPath.indexOf('?')
  return start === -1 ? '' : fullPath.slice(start + 1)
}

/** A query parameter after the hash; before it as a fallback. */
export function queryParam(name: string, afterHash: string, beforeHash: string): string | null {
  return new URLSearchParams(afterHash).get(name) ?? new URLSearchParams(beforeHash).get(name)
}

/** Whether the route exists for someone with `codes`: its own code and those of the groups above it. */
export function permitted(route: Route, codes: ReadonlySet<string>): boolean {
  if (route.permission.length > 0 && !route.permission.some((code) => code === ALL || codes.has(code))) return false
  const parent = route.parent === null ? undefined : routeAt(route.parent)
  return parent === undefined || permitted(parent, codes)
}

/** The routes that exist for someone with `codes`. */
export function permittedRoutes(codes: ReadonlySet<string>): Route[] {
  return routes.filter((route) => permitted(route, codes))
}

/** Flags a menu item may carry; absent means 'true', anything but 'true' hides it. */
export type MenuShow = Readonly<Record<string, string>>

/** Children of `path` that the menu shows. */
export function menuChildren(path: string, codes: ReadonlySet<string>, menuShow: MenuShow = {}): Route[] {
  return routes.filter((route) => {
    if (route.parent !== path || route.hidden || !permitted(route, codes)) return false
    if ((menuShow[route.path] ?? 'true') !== 'true') return false
    return !isGroup(route) || menuChildren(route.path, codes, menuShow).length > 0
  })
}

/** The menu item that stands for `route`: itself, or for a hidden page the list that it is opened from. */
export function menuPathOf(route: Route, codes: ReadonlySet<string>): string {
  if (!route.hidden || route.parent === null || route.parent === '/') return route.path
  const lastPart = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const named = menuChildren(route.parent, codes).filter((sibling) => route.path.includes(lastPart(sibling.path)))
  return named.toSorted((a, b) => b.path.length - a.path.length)[0]?.path ?? route.path
}

/** A group holds pages and is none itself. */
export function isGroup(route: Route): boolean {
  return route.page === null && route.parent !== null
}

/** Whether there is nothing to see yet: of a page that is not built, or of a group that shows none but such. */
export function isComing(route: Route, codes: ReadonlySet<string>, menuShow: MenuShow = {}): boolean {
  if (!isGroup(route)) return route.page === COMING
  return menuChildren(route.path, codes, menuShow).every((child) => isComing(child, codes, menuShow))
}

/** Where a path that is no page leads: the stated default, else the first visible child; null when nothing is left. */
export function defaultOf(route: Route, codes: ReadonlySet<string>): string | null {
  const stated = route.redirect === null ? undefined : routeAt(route.redirect)
  if (stated && permitted(stated, codes)) return stated.path
  return menuChildren(route.path, codes)[0]?.path ?? null
}

/** The way from the root to `route`, without the root: what breadcrumbs show after 首页. */
export function trail(route: Route): Route[] {
  if (route.parent === null) return route.layout === 'bare' ? [route] : []
  const parent = routeAt(route.parent)
  const above = parent ? trail(parent) : []
  return route.path === '/log' ? above : [...above, route]
}

/** What authorisation knows of the session. */
export interface Visitor {
  loggedIn: boolean
  /** Codes, once user info is loaded. */
  codes: ReadonlySet<string> | null
}

export type Outcome =
  | { kind: 'page'; route: Route }
  | { kind: 'redirect'; to: string }
  /** User info has to be loaded before anything can be decided. */
  | { kind: 'load' }

const redirect = (to: string): Outcome => ({ kind: 'redirect', to })

/** Decides about a visit of `pathname` with `search` (both after the hash). */
export function decide(pathname: string, search: string, visitor: Visitor): Outcome {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') || '/' : pathname
  const route = path === '*' ? undefined : routeAt(path)
  if (route?.path === paths.notFound) return { kind: 'page', route }
  const exempt = route !== undefined && exemptNames.includes(route.name)
  if (!visitor.loggedIn) {
    return exempt ? { kind: 'page', route } : redirect(withRedirect(paths.loginHome, pathname + search))
  }
  if (route?.name === 'login') return redirect(paths.home)
  if (route?.name === 'LoginHome') {
    return redirect(safeRedirect(new URLSearchParams(search).get('redirect')) ?? paths.home)
  }
  if (!visitor.codes) return { kind: 'load' }
  if (!route || !permitted(route, visitor.codes)) return redirect(paths.notFound)
  if (route.page !== null) return { kind: 'page', route }
  return redirect(defaultOf(route, visitor.codes) ?? paths.notFound)
}
