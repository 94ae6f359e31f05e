/**
 * Every route of the specification, row by row. The expectations are written down here a second time on purpose: what
 * slips in routes.json is found by the row that it breaks.
 */
import { describe, expect, it } from 'vitest'
import { ALL, decide, menuChildren, type Visitor } from './access'
import { hasPage } from './lazyPage'
import { COMING, type Layout, type Route, routeAt, routes } from './routes'

/** Id, path, title, code, and whether the menu shows it. The code `''` stands for none: the group's is enough. */
type PageRow = readonly [id: string, path: string, title: string, code: string, place: 'shown' | 'hidden']

interface GroupRow {
  id: string
  path: string
  title: string
  code: string
  /** Where the group leads; with an id of its own where the specification states it as a default. */
  opens: { id?: string; path: string }
  pages: readonly PageRow[]
}

const top: readonly PageRow[] = [
  ['ROUTE-005', '/log', '首页', 'all', 'hidden'],
  ['ROUTE-006', '/screenHome', '运营大屏', '0221', 'shown'],
  ['ROUTE-007', '/screenHome1', '营收大屏', 'LargeRevenueScreen', 'shown'],
  ['ROUTE-008', '/home', '运营看板', '02', 'hidden'],
]

const groups: readonly GroupRow[] = [
  {
    id: 'ROUTE-009',
    path: '/vehicle',
    title: '车辆监控',
    code: '03',
    opens: { id: 'ROUTE-010', path: '/vehicle/operation-map' },
    pages: [
      ['ROUTE-011', '/vehicle/operation-map', '运营地图', '0301', 'shown'],
      ['ROUTE-012', '/vehicle/government-operation-map', '车辆地图', '030601', 'shown'],
      ['ROUTE-013', '/vehicle/vehicle-query', '车辆查询', '0302', 'shown'],
      ['ROUTE-014', '/vehicle/operational-analysis', '运营分析', '0304', 'shown'],
      ['ROUTE-015', '/vehicle/vehicle-visualization', '设备监控', '0305', 'shown'],
      ['ROUTE-016', '/vehicle/vehicle-screening', '车辆筛选', '0307', 'shown'],
    ],
  },
  {
    id: 'ROUTE-017',
    path: '/user-manage',
    title: '用户管理',
    code: '07',
    opens: { path: '/user-info' },
    pages: [
      ['ROUTE-018', '/user-info', '用户列表', '070101', 'shown'],
      ['ROUTE-019', '/user-manage/student-certificate', '职业认证列表', '0703', 'shown'],
      ['ROUTE-020', '/black-list', '黑名单', '08', 'shown'],
      ['ROUTE-021', '/bindcard-list', '实名换绑列表', '0704', 'shown'],
      ['ROUTE-022', '/user-order', '用户订单', '1601', 'shown'],
      ['ROUTE-023', '/user-worksheet', '用户工单', '0401', 'shown'],
      ['ROUTE-024', '/invoicing-ticket', '开票工单', '20', 'shown'],
      ['ROUTE-025', '/carReturn-approve', '还车审核', 'returnCarApp', 'shown'],
    ],
  },
  {
    id: 'ROUTE-026',
    path: '/data',
    title: '运维管理',
    code: '09',
    opens: { id: 'ROUTE-027', path: '/data/power-change-statistics' },
    pages: [
      ['ROUTE-028', '/data/power-change-statistics', '换电统计', '0901', 'shown'],
      ['ROUTE-029', '/data/repair-statistics', '维修统计', '090201', 'shown'],
      ['ROUTE-030', '/data/inspection-statistics', '巡检统计', '090301', 'shown'],
      ['ROUTE-031', '/data/car-park-statistics', '挪车统计', '0904', 'shown'],
      ['ROUTE-032', '/data/area-management', '区域管理', '0908', 'shown'],
      ['ROUTE-033', '/data/operation-tasks', '运维任务', '0909', 'shown'],
      ['ROUTE-034', '/data/car-info-statistics', '车辆统计', '0906', 'shown'],
      ['ROUTE-035', '/data/station-statistics', '站点统计', '0907', 'shown'],
      ['ROUTE-036', '/data/inspect-report-statistics', '运维报表', '0905', 'shown'],
      ['ROUTE-037', '/data/park-application', '站点申请管理', '0910', 'shown'],
    ],
  },
  {
    id: 'ROUTE-038',
    path: '/operation',
    title: '操作日志',
    code: '14',
    opens: { path: '/operation/vehicle-log' },
    pages: [
      ['ROUTE-039', '/operation/vehicle-log', '车辆日志', '1402', 'shown'],
      ['ROUTE-040', '/operation/device-log', '设备日志', '1403', 'shown'],
      ['ROUTE-041', '/operation/operator-log', '操作人员日志', '1404', 'shown'],
    ],
  },
  {
    id: 'ROUTE-042',
    path: '/permissions',
    title: '权限管理',
    code: '10',
    opens: { path: '/permissions/role' },
    pages: [
      ['ROUTE-043', '/permissions/role', '角色列表', '1001', 'shown'],
      ['ROUTE-044', '/permissions/add-role', '新增角色', '', 'hidden'],
      ['ROUTE-045', '/permissions/role-detail', '角色详情', '', 'hidden'],
      ['ROUTE-046', '/permissions/user', '人员列表', '1002', 'shown'],
    ],
  },
  {
    id: 'ROUTE-047',
    path: '/marketing',
    title: '营销管理',
    code: '17',
    opens: { id: 'ROUTE-048', path: '/marketing/recharge-activity' },
    pages: [
      ['ROUTE-049', '/marketing/recharge-activity', '营销配置', '1701', 'shown'],
      ['ROUTE-050', '/marketing/charging-config', '计费配置', '1702', 'shown'],
      ['ROUTE-051', '/marketing/mall-config', '商城配置', '1703', 'shown'],
      ['ROUTE-052', '/marketing/help-config', '帮助配置', '1704', 'shown'],
      ['ROUTE-053', '/marketing/deposit-config', '会员配置', '1705', 'shown'],
      ['ROUTE-054', '/marketing/activity-config', '骑行活动', '1706', 'shown'],
      ['ROUTE-055', '/marketing/activity-task', '固定活动', '1707', 'shown'],
      ['ROUTE-056', '/marketing/activity-task-edit', '编辑固定活动', '', 'hidden'],
      ['ROUTE-057', '/marketing/coupon', '兑换券', '1709', 'shown'],
      ['ROUTE-058', '/marketing/coupon-add', '新增兑换券', '', 'hidden'],
      ['ROUTE-059', '/marketing/custom-activity-task', '自定义活动', '1710', 'shown'],
      ['ROUTE-060', '/marketing/custom-activity-task-edit', '编辑自定义活动', '', 'hidden'],
      ['ROUTE-061', '/marketing/invite-activity-task', '邀请奖励', 'yqyl', 'shown'],
      ['ROUTE-062', '/marketing/invite-activity-task-edit', '编辑邀请奖励', '', 'hidden'],
      ['ROUTE-063', '/marketing/user-rewards', '用户奖励查询', '170801', 'shown'],
      ['ROUTE-064', '/marketing/ad-config', '广告配置', 'all', 'shown'],
    ],
  },
  {
    id: 'ROUTE-065',
    path: '/backend',
    title: '运营配置',
    code: '05',
    opens: { id: 'ROUTE-066', path: '/backend/repair-config' },
    pages: [
      ['ROUTE-067', '/backend/repair-config', '维修项配置', '0501', 'shown'],
      ['ROUTE-068', '/backend/system-config', '系统配置', '0502', 'shown'],
      ['ROUTE-069', '/electronic/service-area-fence', '服务区围栏', '0503', 'shown'],
      ['ROUTE-070', '/electronic/parking-fence', '停车围栏', '0504', 'shown'],
      ['ROUTE-071', '/electronic/parking-fence-tencent', '停车围栏（腾讯）', '0504', 'shown'],
      ['ROUTE-072', '/electronic/no-stop-fence', '禁停围栏', '0505', 'shown'],
      ['ROUTE-073', '/backend/notice-template', '消息模板', '0506', 'shown'],
      ['ROUTE-074', '/backend/message-config', '添加首页消息', '', 'hidden'],
    ],
  },
  {
    id: 'ROUTE-075',
    path: '/report',
    title: '报表管理',
    code: '15',
    opens: { id: 'ROUTE-076', path: '/report/financial-statistics' },
    pages: [
      ['ROUTE-077', '/report/download-statistics', '财务对账', 'FinancialReconciliation', 'shown'],
      ['ROUTE-078', '/report/financial-statistics', '每日统计', '150101', 'shown'],
      ['ROUTE-079', '/report/transaction-order', '交易号查询', '1502', 'shown'],
      ['ROUTE-080', '/report/wallet-report', '钱包报表', '150301', 'shown'],
      ['ROUTE-081', '/report/deposit-report', '会员报表', '150401', 'shown'],
      ['ROUTE-082', '/report/riding-card-report', '骑行卡报表', '150501', 'shown'],
      ['ROUTE-083', '/report/discount-card-report', '折扣卡报表', '150601', 'shown'],
    ],
  },
  {
    id: 'ROUTE-084',
    path: '/agent',
    title: '代理商管理',
    code: '11',
    opens: { path: '/agent/account-management' },
    pages: [
      ['ROUTE-085', '/agent/account-management', '账号管理', '1101', 'shown'],
      ['ROUTE-086', '/agent/role-management', '角色模板', '1102', 'shown'],
      ['ROUTE-087', '/agent/add-role', '新增角色模板', '', 'hidden'],
      ['ROUTE-088', '/agent/service-area-management', '服务区管理', '1103', 'shown'],
    ],
  },
  {
    id: 'ROUTE-089',
    path: '/production',
    title: '生产信息',
    code: '06',
    opens: { id: 'ROUTE-090', path: '/production/import-export' },
    pages: [
      ['ROUTE-091', '/production/import-export', '导入导出', 'all', 'shown'],
      ['ROUTE-092', '/production/voltage-scheme', '电压方案', 'all', 'shown'],
      ['ROUTE-093', '/production/vehicle-list', '车辆列表', 'all', 'shown'],
      ['ROUTE-094', '/production/vehicle-list-edit', '编辑车辆', 'all', 'hidden'],
      ['ROUTE-095', '/production/voice-customization', '语音升级', 'all', 'shown'],
      ['ROUTE-096', '/production/device-upgrade', '设备升级', 'all', 'shown'],
    ],
  },
  {
    id: 'ROUTE-097',
    path: '/work',
    title: '工单反馈',
    code: '18',
    opens: { path: '/work/view-tickets' },
    pages: [
      ['ROUTE-098', '/work/view-tickets', '查看工单', '1801', 'shown'],
      ['ROUTE-099', '/work/new-work-order', '新建工单', '1802', 'shown'],
    ],
  },
  {
    id: 'ROUTE-100',
    path: '/financial',
    title: '产品服务',
    code: 'financial',
    opens: { path: '/financial/CostCenter' },
    pages: [
      ['ROUTE-101', '/financial/CostCenter', '费用中心', 'financial_01', 'shown'],
      ['ROUTE-102', '/financial/SplitBill', '分账账单', 'financial_02', 'shown'],
      ['ROUTE-103', '/financial/CostCenter/recharge', '充值', 'financial_01', 'hidden'],
      ['ROUTE-104', '/financial/CostCenter/withdraw', '提现', 'financial_01', 'hidden'],
      ['ROUTE-105', '/financial/billDetails', '账单明细', 'financial_03', 'shown'],
      ['ROUTE-106', '/financial/TransactionDetails', '交易明细', 'financial_01', 'hidden'],
      ['ROUTE-107', '/financial/objectionBill', '异议账单', 'financial_04', 'shown'],
      ['ROUTE-108', '/financial/objectionApply', '异议申请', 'financial_03', 'hidden'],
      ['ROUTE-109', '/financial/objectionBillInfo', '异议账单详情', 'financial_04', 'hidden'],
      ['ROUTE-110', '/financial/DosageDetails', '用量明细', 'financial_03', 'hidden'],
      ['ROUTE-111', '/financial/ServiceDetails', '服务明细', 'financial_03', 'hidden'],
      ['ROUTE-112', '/financial/SubAccountRule', '分账规则', 'financial_05', 'shown'],
      ['ROUTE-113', '/financial/AccountManager', '账户管理', 'financial_06', 'shown'],
    ],
  },
]

/** Pages outside of the layout: id, path, title, codes. */
const bare: readonly (readonly [id: string, path: string, title: string, codes: readonly string[]])[] = [
  ['ROUTE-114', '/vehicle-info', '车辆详情', []],
  ['ROUTE-115', '/user-worksheet-detail', '用户工单详情', []],
  ['ROUTE-116', '/user-order-detail', '用户订单详情', []],
  ['ROUTE-117', '/user-info-detail', '用户详情', ['all']],
]

const anonymous: Visitor = { loggedIn: false, codes: null }
const everyCode = new Set([...routes.flatMap((route) => route.permission), ALL])

function holding(...codes: string[]): Visitor {
  return { loggedIn: true, codes: new Set([...codes.filter((code) => code !== ''), ALL]) }
}

/** The page that opens at `path`, or `→` and where one is sent. */
function visit(path: string, visitor: Visitor, search = ''): string {
  const outcome = decide(path, search, visitor)
  if (outcome.kind === 'redirect') return `→ ${outcome.to}`
  return outcome.kind === 'load' ? 'load' : outcome.route.path
}

function at(path: string): Route {
  const route = routeAt(path)
  if (!route) throw new Error(`no route ${path}`)
  return route
}

/** The paths that the menu shows below `parent`. */
function menu(parent: string, ...codes: string[]): string[] {
  return menuChildren(parent, new Set([...codes.filter((code) => code !== ''), ALL])).map((route) => route.path)
}

function allMenus(): string[] {
  const groupPaths = groups.map((group) => group.path)
  return ['/', ...groupPaths].flatMap((path) => menuChildren(path, everyCode)).map((route) => route.path)
}

/** Where an anonymous visitor of `path` is sent. */
function loginFor(path: string): string {
  return `→ /login-home?redirect=${encodeURIComponent(path)}`
}

/** The pages that show something; all the others open the one that says that they are to come. */
const built: ReadonlySet<string> = new Set([
  '/login',
  '/login-home',
  '/404',
  '/log',
  '/screenHome',
  '/screenHome1',
  '/home',
  '/user-manage/student-certificate',
  '/marketing/mall-config',
  '/marketing/deposit-config',
  '/black-list',
  '/user-info',
  '/vehicle/vehicle-query',
  '/vehicle/vehicle-screening',
  '/vehicle/vehicle-visualization',
  '/production/voltage-scheme',
  '/production/device-upgrade',
  '/vehicle-info',
  '/user-info-detail',
  '/bindcard-list',
  '/carReturn-approve',
  '/user-order',
  '/user-order-detail',
  '/vehicle/operation-map',
  '/vehicle/government-operation-map',
  '/operation/vehicle-log',
  '/operation/device-log',
  '/operation/operator-log',
  '/permissions/role',
  '/permissions/add-role',
  '/permissions/role-detail',
  '/permissions/user',
  '/agent/account-management',
  '/agent/role-management',
  '/agent/add-role',
  '/agent/service-area-management',
  '/marketing/charging-config',
  '/backend/system-config',
  '/electronic/service-area-fence',
  '/electronic/parking-fence',
  '/electronic/parking-fence-tencent',
  '/electronic/no-stop-fence',
  '/data/area-management',
  '/data/station-statistics',
  '/report/financial-statistics',
  '/data/park-application',
  '/financial/SplitBill',
  '/financial/AccountManager',
])

/** Whether a page has a module of its own. */
function isBuilt(page: string | null): boolean {
  return page !== null && page !== COMING
}

/** What there is of a page. */
function pageAt(path: string) {
  const { title, permission, hidden, layout, parent, page } = at(path)
  return { title, codes: permission, hidden, layout, parent, opens: hasPage(page ?? ''), built: isBuilt(page), anonymous: visit(path, anonymous) }
}

/** What there should be of a page that needs a login. */
function pageOf(path: string, title: string, codes: readonly string[], hidden: boolean, layout: Layout, parent: string | null) {
  return { title, codes, hidden, layout, parent, opens: true, built: built.has(path), anonymous: loginFor(path) }
}

/** A page below a group, or below the root: what it is, when it opens, when the menu shows it. `above`: the group's code. */
function below(parent: string, above: string, [, path, , code]: PageRow) {
  return {
    ...pageAt(path),
    withBoth: visit(path, holding(above, code)),
    withoutItsGroup: visit(path, holding(code)),
    withoutItsCode: visit(path, holding(above)),
    inMenu: menu(parent, above, code).includes(path),
    inMenuWithoutItsCode: menu(parent, above).includes(path),
  }
}

function belowAsWritten(parent: string, above: string, [, path, title, code, place]: PageRow) {
  const free = code === '' || code === ALL
  return {
    ...pageOf(path, title, code === '' ? [] : [code], place === 'hidden', 'root', parent),
    withBoth: path,
    withoutItsGroup: above === '' ? path : '→ /404',
    withoutItsCode: free ? path : '→ /404',
    inMenu: place === 'shown',
    inMenuWithoutItsCode: place === 'shown' && free,
  }
}

describe('public routes', () => {
  const open = (path: string, title: string) => ({ ...pageOf(path, title, [], true, 'public', null), anonymous: path })

  it('ROUTE-001 /login shows 登录, with no permission needed', () => {
    expect(pageAt('/login')).toEqual(open('/login', '登录'))
  })

  it('ROUTE-002 /login-home shows 登录首页, with no permission needed', () => {
    expect(pageAt('/login-home')).toEqual(open('/login-home', '登录首页'))
  })

  it('ROUTE-003 /404 shows 页面不存在 to anyone', () => {
    expect(pageAt('/404')).toEqual(open('/404', '页面不存在'))
    expect(visit('/404', holding())).toBe('/404')
  })
})

describe('the root and what lies at the top', () => {
  it('ROUTE-004 / holds the root layout and redirects to /log', () => {
    expect(at('/')).toMatchObject({ layout: 'root', redirect: '/log', page: null, parent: null })
    expect(visit('/', holding())).toBe('→ /log')
    expect(visit('/', anonymous)).toBe(loginFor('/'))
  })

  it.each(top)('%s %s is %s, asks for %s and is %s', (...row) => {
    expect(below('/', '', row)).toEqual(belowAsWritten('/', '', row))
  })
})

describe.each(groups)('$path $title', ({ id, path, title, code, opens, pages }) => {
  const shown = pages.filter(([, , , , place]) => place === 'shown')
  const withoutIts = { loggedIn: true, codes: new Set([...everyCode].filter((held) => held !== code)) }

  it(`${id} the group asks for ${code} and shows with one of its pages`, () => {
    expect(at(path)).toMatchObject({ title, permission: [code], hidden: false, parent: '/', layout: 'root', page: null })
    expect(routes.filter((route) => route.parent === path).map((route) => route.path).toSorted()).toEqual(
      pages.map(([, page]) => page).toSorted(),
    )
    for (const [, page, , own] of shown) {
      expect(menu('/', code, own), page).toContain(path)
      expect(menu(path, code, own), page).toContain(page)
    }
  })

  it(`${id} without ${code} there is neither the group nor any of its pages, whatever else one holds`, () => {
    expect(menuChildren('/', withoutIts.codes).map((route) => route.path)).not.toContain(path)
    for (const gone of [path, ...pages.map(([, page]) => page)]) expect(visit(gone, withoutIts), gone).toBe('→ /404')
  })

  it(`${opens.id ?? id} the group opens ${opens.path}`, () => {
    expect(visit(path, { loggedIn: true, codes: everyCode })).toBe(`→ ${opens.path}`)
    // Who may not see that page gets the first of those that he may.
    const first = (own: string) => shown.find(([, , , needed]) => needed === own || needed === ALL)?.[1] ?? ''
    for (const [, , , own] of shown) {
      const openedByIt = shown.some(([, page, , needed]) => page === opens.path && (needed === own || needed === ALL))
      expect(visit(path, holding(code, own)), own).toBe(`→ ${openedByIt ? opens.path : first(own)}`)
    }
  })

  it.each(pages)('%s %s is %s, asks for "%s" and is %s', (...row) => {
    expect(below(path, code, row)).toEqual(belowAsWritten(path, code, row))
  })
})

describe('outside of the layout', () => {
  it.each(bare)('%s %s is %s, without a frame, for anyone logged in', (_id, path, title, codes) => {
    expect(pageAt(path)).toEqual(pageOf(path, title, codes, true, 'bare', null))
    expect(visit(path, holding())).toBe(path)
    expect(allMenus()).not.toContain(path)
  })

  it('ROUTE-118 /complaint-ticket-map is a page without a frame that keeps its query param', () => {
    const path = '/complaint-ticket-map'
    expect(pageAt(path)).toEqual(pageOf(path, at(path).title, [], true, 'bare', null))
    expect(visit(path, holding(), '?param=88')).toBe(path)
    expect(visit(path, anonymous, '?param=88')).toBe(loginFor('/complaint-ticket-map?param=88'))
    expect(allMenus()).not.toContain(path)
  })
})

describe('the table as a whole', () => {
  it('holds these routes and no other', () => {
    const rows = [...top.map(([, path]) => path), ...groups.flatMap(({ path, pages }) => [path, ...pages.map(([, below]) => below)])]
    const outside = bare.map(([, path]) => path)
    const known = ['/login', '/login-home', '/404', '*', '/', '/complaint-ticket-map', ...rows, ...outside]
    expect(routes.map((route) => route.path).toSorted()).toEqual(known.toSorted())
  })
})
