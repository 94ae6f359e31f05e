/**
 * The open pages. Pure: the tabs and what happens in, the tabs after it out.
 * A tab is one full path. With tabs switched off there is one, which every page takes in turn.
 */
import type { Location } from 'react-router-dom'
import { beneath } from '@/kit/list/overlay'
import { type Route, routeAt } from '../routes'

export interface Tab {
  /** Stays while the page rewrites its own address. */
  id: number
  location: Location
  route: Route
}

export interface Tabs {
  readonly open: readonly Tab[]
  /** Id of the tab on the screen; 0 when there is none. */
  readonly active: number
  /** The last id given. */
  readonly last: number
}

export const noTabs: Tabs = { open: [], active: 0, last: 0 }

/** The tabs as a text that a reload can be given back; which of them is shown follows from the address. */
export function writeTabs({ open }: Tabs): string {
  return JSON.stringify(open.map((tab) => fullPath(tab.location)))
}

/** The tabs of such a text, none of them shown yet; what is no page any more is left out. */
export function readTabs(text: string | null): Tabs {
  const open = parsePaths(text).flatMap((path, index): Tab[] => {
    const { pathname, search } = new URL(path, 'page:/')
    const route = routeAt(pathname)
    const location = { pathname, search, hash: '', state: null, key: 'default', unstable_mask: undefined }
    return route?.layout === 'root' && route.page !== null ? [{ id: index + 1, location, route }] : []
  })
  return { open: open.slice(-TABS_MAX), active: 0, last: open.at(-1)?.id ?? 0 }
}

function parsePaths(text: string | null): string[] {
  try {
    const paths: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string' && path.startsWith('/')) : []
  } catch {
    return []
  }
}

/** How the address changed: a way forward or back, or a page that rewrote its own. */
export type Arrival = 'PUSH' | 'REPLACE' | 'POP'

/** More pages than these are not kept alive at once; the one opened first gives way. */
export const TABS_MAX = 20

/** The live map goes on listening behind other pages, so that it is at once what it was; it only stops drawing. */
const MAP = '/vehicle/operation-map'
/** The same for a city's office. */
const OFFICE_MAP = '/vehicle/government-operation-map'
/** Walls: a stage on the whole of the page, dark whatever the light. */
const walls: ReadonlySet<string> = new Set(['/screenHome', '/screenHome1'])

/** Pages that fill the frame to its edges and bring their own head; of each there is one tab. */
export function fillsFrame(route: Route): boolean {
  return route.path === MAP || route.path === OFFICE_MAP || walls.has(route.path)
}

export function isWall(route: Route): boolean {
  return walls.has(route.path)
}

/** Pages that are kept at work while hidden. */
export function staysAwake(route: Route): boolean {
  return route.path === MAP
}

/** What a tab is known by. */
export function fullPath(location: Location): string {
  return location.pathname + location.search
}

/** The full path without what lies over the page: with an open drawer a page is still the same. */
function pageOf({ pathname, search }: Location): string {
  return `${pathname}?${beneath(new URLSearchParams(search)).toString()}`
}

/** The full path as people read it. */
export function readPath(location: Location): string {
  try {
    return decodeURIComponent(fullPath(location))
  } catch {
    return fullPath(location)
  }
}

export function activeTab(tabs: Tabs): Tab | undefined {
  return tabs.open.find((tab) => tab.id === tabs.active)
}

/** The address became `location`, which `route` names. */
export function arrive(tabs: Tabs, location: Location, route: Route, arrival: Arrival, several: boolean): Tabs {
  const active = activeTab(tabs)
  const moved = (tab: Tab): Tab => (tab.location === location ? tab : { ...tab, location, route })
  if (!several) {
    if (active?.route.path === route.path) return { ...tabs, open: [moved(active)] }
    return opened({ ...tabs, open: [] }, location, route)
  }
  const same = (tab: Tab) => pageOf(tab.location) === pageOf(location) || (fillsFrame(route) && tab.route.path === route.path)
  const known = (active && same(active) ? active : undefined) ?? tabs.open.find(same)
  const rewritten = arrival === 'REPLACE' && active?.route.path === route.path ? active : undefined
  const target = known ?? rewritten
  if (target === undefined) return opened(tabs, location, route)
  return { ...tabs, active: target.id, open: tabs.open.map((tab) => (tab === target ? moved(tab) : tab)) }
}

function opened(tabs: Tabs, location: Location, route: Route): Tabs {
  const id = tabs.last + 1
  return { open: [...tabs.open.slice(-(TABS_MAX - 1)), { id, location, route }], active: id, last: id }
}

/** Keeps the tabs that `stays` names; when the active one goes, the last becomes active. */
function kept(tabs: Tabs, stays: (tab: Tab, index: number) => boolean): Tabs {
  const open = tabs.open.filter(stays)
  const active = open.some((tab) => tab.id === tabs.active) ? tabs.active : (open.at(-1)?.id ?? 0)
  return { ...tabs, open, active }
}

const placeOf = (tabs: Tabs, id: number) => tabs.open.findIndex((tab) => tab.id === id)

/** Closes one tab; the only one stays. */
export function close(tabs: Tabs, id: number): Tabs {
  return tabs.open.length > 1 ? kept(tabs, (tab) => tab.id !== id) : tabs
}

export function closeLeft(tabs: Tabs, id: number): Tabs {
  const place = placeOf(tabs, id)
  return place > 0 ? kept(tabs, (_, index) => index >= place) : tabs
}

export function closeRight(tabs: Tabs, id: number): Tabs {
  const place = placeOf(tabs, id)
  return place >= 0 && place < tabs.open.length - 1 ? kept(tabs, (_, index) => index <= place) : tabs
}

/** One tab has to stay: the one that was asked. */
export function closeAll(tabs: Tabs, id: number): Tabs {
  return placeOf(tabs, id) < 0 ? tabs : kept(tabs, (tab) => tab.id === id)
}

/** What a tab is called; of several with one title each says what it shows. */
export function tabLabel(tab: Tab, open: readonly Tab[]): string {
  const { title, path } = tab.route
  if (!open.some((other) => other.id !== tab.id && other.route.path === path)) return title
  const shown = [...new URLSearchParams(tab.location.search).values()].join(' ')
  return shown === '' ? title : `${title} · ${shown.length > 12 ? `${shown.slice(0, 12)}…` : shown}`
}
