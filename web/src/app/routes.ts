/**
 * The route table: the only place that names a page. Menu, breadcrumbs, titles and access are read from it.
 * It lies in routes.json so that plain node can read it too (scripts/routes.mjs).
 */
import table from './routes.json'

/** Which frame a page is drawn in: sign-in, menu and header, or nothing around it. */
export type Layout = 'public' | 'root' | 'bare'

export interface Route {
  /** Unique; the exempt list of the login check holds names. */
  name: string
  path: string
  title: string
  /** Any one of these codes opens the route; none means its group decides. */
  permission: readonly string[]
  /** Reachable, but not in the menu. */
  hidden: boolean
  /** Path of the group or of the root. */
  parent: string | null
  layout: Layout
  /** Where the path itself leads, when it is no page. */
  redirect: string | null
  /** Module of the page below src/, `coming` while it is not built, null for groups and redirects. */
  page: string | null
  icon?: string
  /** A live page never goes without the connection badge. */
  live?: boolean
}

export const routes = table as readonly Route[]

/** Pages that are not built yet share this one. */
export const COMING = 'coming'

const byPath = new Map(routes.map((route) => [route.path, route]))

export function routeAt(path: string): Route | undefined {
  return byPath.get(path)
}

/** Names that need no login. The last two have no page: nobody can sign up. */
export const exemptNames: readonly string[] = ['login', 'LoginHome', 'register', 'registerResult']

/** Links, made in one place. */
export const paths = {
  home: '/',
  login: '/login',
  loginHome: '/login-home',
  notFound: '/404',
  board: '/home',
  role: '/permissions/role',
  addRole: '/permissions/add-role',
  user: '/permissions/user',
  operatorLog: '/operation/operator-log',
  roleDetail: (id: string) => `/permissions/role-detail?id=${encodeURIComponent(id)}`,
  agentRole: '/agent/role-management',
  operationMap: '/vehicle/operation-map',
  bikeOnMap: (carId: string) => `/vehicle/operation-map?carId=${encodeURIComponent(carId)}`,
} as const
