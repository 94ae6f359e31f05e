import { describe, expect, it } from 'vitest'
import { decide, defaultOf, isComing, isGroup, menuChildren, menuPathOf, permitted, permittedRoutes, queryParam, safeRedirect, trail, type Visitor } from './access'
import { hasPage } from './lazyPage'
import { COMING, exemptNames, type Route, routeAt, routes } from './routes'

const anonymous: Visitor = { loggedIn: false, codes: null }
const fresh: Visitor = { loggedIn: true, codes: null }
const holding = (...codes: string[]): Visitor => ({ loggedIn: true, codes: new Set([...codes, 'all']) })
const everything = new Set([...routes.flatMap((route) => route.permission), 'all'])
const everybody: Visitor = { loggedIn: true, codes: everything }

function visit(address: string, visitor: Visitor): string {
  const [path = '', search] = address.split('?')
  const outcome = decide(path, search === undefined ? '' : `?${search}`, visitor)
  if (outcome.kind === 'redirect') return `→ ${outcome.to}`
  return outcome.kind === 'load' ? 'load' : outcome.route.path
}

function at(path: string): Route {
  const route = routeAt(path)
  if (!route) throw new Error(`no route ${path}`)
  return route
}

describe('authorisation', () => {
  it('ACCESS-002 ACCESS-003 the login pages need no login', () => {
    expect(visit('/login', anonymous)).toBe('/login')
    expect(visit('/login-home?redirect=%2Flog', anonymous)).toBe('/login-home')
  })

  it('ACCESS-004 ACCESS-005 the exempt names are four, two of them without a page', () => {
    expect(exemptNames).toEqual(['login', 'LoginHome', 'register', 'registerResult'])
    expect(visit('/register', everybody)).toBe('→ /404')
  })

  it('ACCESS-006 ACCESS-007 an anonymous visitor goes to /login-home with the full path', () => {
    expect(visit('/vehicle/operation-map', anonymous)).toBe('→ /login-home?redirect=%2Fvehicle%2Foperation-map')
    const target = visit('/user-order-detail?orderId=1', anonymous)
    expect(decodeURIComponent(target.split('redirect=')[1] ?? '')).toBe('/user-order-detail?orderId=1')
  })

  it('AMB-003 /404 opens for anyone, an unknown path asks for a login first', () => {
    expect(visit('/404', anonymous)).toBe('/404')
    expect(visit('/no-such-page', anonymous)).toBe('→ /login-home?redirect=%2Fno-such-page')
    expect(visit('/404', fresh)).toBe('/404')
  })

  it('ACCESS-009 a logged-in user who opens /login goes to /', () => {
    expect(visit('/login?redirect=%2Fuser-order', fresh)).toBe('→ /')
  })

  it('AMB-005 ACCESS-008 a logged-in user who opens /login-home goes to its target', () => {
    expect(visit('/login-home?redirect=%2Fuser-order%3Fpage%3D2', fresh)).toBe('→ /user-order?page=2')
    expect(visit('/login-home', fresh)).toBe('→ /')
  })

  it('ACCESS-022 a target outside of the application is not followed', () => {
    for (const target of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:1', '', null]) {
      expect(safeRedirect(target)).toBeNull()
    }
    expect(safeRedirect('/log')).toBe('/log')
    expect(visit('/login-home?redirect=%2F%2Fevil.example', fresh)).toBe('→ /')
  })

  it('SESSION-005 the first navigation loads user info', () => {
    expect(visit('/log', fresh)).toBe('load')
  })

  it('ROUTE-004 AMB-007 the root leads to /log for everyone', () => {
    expect(visit('/', holding())).toBe('→ /log')
    expect(visit('/', holding('02'))).toBe('→ /log')
  })

  it('ACCESS-010 a page whose code is missing does not exist', () => {
    expect(visit('/vehicle/vehicle-query', holding('03', '0301'))).toBe('→ /404')
    expect(visit('/vehicle/vehicle-query', holding('03', '0302'))).toBe('/vehicle/vehicle-query')
  })

  it('ACCESS-011 AMB-011 a group takes its pages with it', () => {
    expect(visit('/work/view-tickets', holding('1801'))).toBe('→ /404')
    expect(visit('/user-order', holding('1601'))).toBe('→ /404')
    expect(visit('/user-order', holding('07', '1601'))).toBe('/user-order')
  })

  it('ACCESS-013 all opens for anyone logged in, inside its group', () => {
    expect(visit('/log', holding())).toBe('/log')
    expect(visit('/marketing/ad-config', holding('17'))).toBe('/marketing/ad-config')
    expect(visit('/marketing/ad-config', holding())).toBe('→ /404')
    expect(visit('/production/vehicle-list-edit', holding('06'))).toBe('/production/vehicle-list-edit')
  })

  it('ACCESS-014 AMB-014 hidden pages without a code open with the code of their group', () => {
    expect(visit('/marketing/coupon-add', holding('17'))).toBe('/marketing/coupon-add')
    expect(visit('/permissions/add-role', holding('10'))).toBe('/permissions/add-role')
  })

  it('AMB-012 a group opens its default, else its first visible page, else it does not exist', () => {
    expect(visit('/vehicle', everybody)).toBe('→ /vehicle/operation-map')
    expect(visit('/vehicle', holding('03', '0305', '0307'))).toBe('→ /vehicle/vehicle-visualization')
    expect(visit('/user-manage', everybody)).toBe('→ /user-info')
    expect(visit('/permissions', holding('10'))).toBe('→ /404')
    expect(visit('/permissions', holding('10', '1002'))).toBe('→ /permissions/user')
  })

  it('AMB-015 paths are case-sensitive, a trailing slash does not count', () => {
    expect(visit('/financial/CostCenter/', everybody)).toBe('/financial/CostCenter')
    expect(visit('/financial/costcenter', everybody)).toBe('→ /404')
    expect(visit('/user-manage/user-info', everybody)).toBe('→ /404')
  })

  it('AMB-016 bare pages need a login and nothing else', () => {
    expect(visit('/vehicle-info?carId=1', holding())).toBe('/vehicle-info')
    expect(visit('/complaint-ticket-map?param=1', holding())).toBe('/complaint-ticket-map')
  })

  it('ACCESS-021 an unknown path redirects to /404', () => {
    expect(visit('/no-such-page', everybody)).toBe('→ /404')
    expect(visit('/*', everybody)).toBe('→ /404')
    expect(visit('*', everybody)).toBe('→ /404')
  })

  it('AMB-002 a query counts after the hash, before it as a fallback', () => {
    expect(queryParam('origin', 'origin=a', '?origin=b')).toBe('a')
    expect(queryParam('origin', '', '?origin=b')).toBe('b')
    expect(queryParam('origin', '', '')).toBeNull()
  })
})

describe('the route table', () => {
  it('holds the 113 routes of the specification, with unique paths and names', () => {
    expect(routes).toHaveLength(113)
    expect(new Set(routes.map((route) => route.path)).size).toBe(113)
    expect(new Set(routes.map((route) => route.name)).size).toBe(113)
  })

  it('names only parents, defaults and pages that exist', () => {
    const targets = routes.flatMap(({ parent, redirect }) => [parent, redirect]).filter((path) => path !== null)
    expect(targets.filter((path) => routeAt(path) === undefined)).toEqual([])
    const pages = routes.map((route) => route.page).filter((page) => page !== null)
    expect(pages.filter((page) => !hasPage(page))).toEqual([])
    expect(hasPage('features/none/NonePage')).toBe(false)
  })

  it('every page but the coming ones has a module of its own', () => {
    const built = routes.flatMap((route) => (route.page === null || route.page === COMING ? [] : [route.page]))
    expect(new Set(built).size).toBe(built.length)
    expect(built.length).toBeGreaterThanOrEqual(7)
  })

  it('without codes only what all may see is left', () => {
    const left = permittedRoutes(new Set(['all'])).filter((route) => route.layout === 'root' && route.page !== null)
    expect(left.map((route) => route.path)).toEqual(['/log'])
    expect(permitted(at('/home'), new Set(['all']))).toBe(false)
  })
})

describe('the menu', () => {
  const paths = (path: string, codes: string[], menuShow = {}) =>
    menuChildren(path, new Set([...codes, 'all']), menuShow).map((route) => route.path)

  it('ACCESS-015 hidden pages are not in it', () => {
    expect(paths('/marketing', [...everything])).not.toContain('/marketing/coupon-add')
    expect(paths('/', [...everything])).not.toContain('/log')
  })

  it('ACCESS-016 AMB-019 a flag other than true hides an item, its address still opens', () => {
    expect(paths('/', [...everything], { '/financial': 'true' })).toContain('/financial')
    expect(paths('/', [...everything], { '/financial': 'false' })).not.toContain('/financial')
    expect(visit('/financial/SplitBill', everybody)).toBe('/financial/SplitBill')
  })

  it('what is to come is told from what is built; a group with one built page is built', () => {
    const coming = (path: string, ...codes: string[]) => isComing(at(path), new Set([...codes, 'all']))
    expect(coming('/vehicle/operational-analysis', '0304')).toBe(true)
    expect(coming('/permissions/role', '10', '1001')).toBe(false)
    expect(coming('/vehicle', '03', '0304')).toBe(true)
    expect(coming('/vehicle', '03', '0304', '0301')).toBe(false)
  })

  it('a group without a page to show is not in it', () => {
    expect(paths('/', ['10'])).toEqual([])
    expect(paths('/', ['10', '1001'])).toEqual(['/permissions'])
  })

  it('AMB-018 both parking-fence pages show with one code', () => {
    expect(paths('/backend', ['05', '0504'])).toEqual(['/electronic/parking-fence', '/electronic/parking-fence-tencent'])
  })

  it('every group leads somewhere for one who may do everything', () => {
    for (const group of routes.filter(isGroup)) expect(defaultOf(group, everything), group.path).not.toBeNull()
  })
})

describe('the marked menu item', () => {
  it('of a hidden page is the list it is opened from', () => {
    expect(menuPathOf(at('/permissions/add-role'), everything)).toBe('/permissions/role')
    expect(menuPathOf(at('/marketing/custom-activity-task-edit'), everything)).toBe('/marketing/custom-activity-task')
    expect(menuPathOf(at('/financial/CostCenter/withdraw'), everything)).toBe('/financial/CostCenter')
    expect(menuPathOf(at('/permissions/user'), everything)).toBe('/permissions/user')
  })
})

describe('breadcrumbs', () => {
  it('ACCESS-020 list the matched routes in order', () => {
    expect(trail(at('/data/repair-statistics')).map((route) => route.title)).toEqual(['运维管理', '维修统计'])
  })

  it('AMB-082 the home page adds nothing to 首页', () => {
    expect(trail(at('/log'))).toEqual([])
  })
})
