/** From unlock to refund by two persons: a ride is ended in a ban, looked at with its way and fare, given back on the word of two, and balanced. */
import { violationsOf } from './axe'
import { fitsEverywhere, pictured } from './built'
import { at, expect, SIGNED_IN, test } from './fixtures'
import { accountOf, banAbout, endPaid, machine, ride } from './rides'
import { adminKeys, call, enterByLink, newOperator } from './wire'

test.use({ storageState: SIGNED_IN })

const WALLET_CENTS = 20_000
/** Above what one person gives back on his own. */
const PENALTY_CENTS = 6_000
const stamp = Date.now().toString(36)
interface Entry {
  what: string
  [account: string]: number | string | null
}

/** What entries add to accounts that grow on the left, less those that grow on the right. */
const imbalanceOf = (entries: readonly Entry[]) => {
  const sum = (...accounts: string[]) => entries.flatMap((entry) => accounts.map((account) => Number(entry[account]))).reduce((all, cents) => all + cents, 0)
  return sum('receivableCents', 'channelCents', 'rideRefundCents', 'writeOffCents') - sum('rechargeCents', 'presentCents', 'refundDueCents', 'rideIncomeCents', 'penaltyIncomeCents')
}

test('ROUTE-022 ROUTE-116 a ride is paid, looked at, and given back by two persons', async ({ page, browser, clean, request }) => {
  test.setTimeout(300_000)
  const http = await machine()
  const begun = await ride(http, WALLET_CENTS)
  const switchOff = await banAbout(request, begun, `退款禁停${stamp}`, PENALTY_CENTS)
  const paid_cents = await endPaid(request, http, begun)
  await switchOff()
  expect(paid_cents).toBeGreaterThanOrEqual(PENALTY_CENTS)
  expect((await accountOf(http, begun.userId))['rechargeCents']).toBe(WALLET_CENTS - paid_cents)

  // The detail: way, receipt, and the fare again to the cent.
  await page.goto(at(`/user-order-detail?orderId=${begun.orderId}`))
  await expect(page.getByRole('heading', { level: 1 })).toContainText(begun.orderId)
  const part = (name: string) => page.getByRole('region', { name, exact: true })
  await part('轨迹').getByRole('button', { name: '查看轨迹并记录' }).click()
  await expect(part('轨迹')).toContainText(/个轨迹点|没有轨迹点/)
  await expect(part('还车证据')).toContainText('禁停区')
  await expect(part('重算与假设')).toContainText('每一分钱都与订单一致')
  await expect(page.locator('body')).toContainText('禁停区')

  // All of it is above the limit: nothing moves yet.
  await page.getByRole('button', { name: '退款', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `退款「订单 ${begun.orderId}」` })
  await dialog.getByLabel('原因').fill('禁停区画错位置')
  await dialog.getByRole('button', { name: '退款' }).click()
  await expect(page.getByText('已提交复核，由另一位同事同意后执行')).toBeVisible()
  await expect(page.getByText('已支付').first()).toBeVisible()
  expect((await accountOf(http, begun.userId))['rechargeCents']).toBe(WALLET_CENTS - paid_cents)

  // Another person finds it among what waits, reads what follows, and says yes.
  const second = await newOperator(request, '退款复核', ['07', '1601'])
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  clean(context)
  const other = await context.newPage()
  await enterByLink(other, request, second.phone)
  await other.getByRole('button', { name: /^待我复核/ }).click()
  const queue = other.getByRole('dialog', { name: /^待我复核/ })
  await queue.getByRole('button', { name: new RegExp(begun.orderId) }).click()
  const drawer = other.locator('.ant-drawer-open').last()
  await expect(drawer).toContainText('同意后会发生什么')
  await expect(drawer).toContainText(`本次退款 ${(paid_cents / 100).toFixed(2)} 元`)
  await expect(drawer).toContainText('禁停区画错位置')
  expect(await violationsOf(other)).toEqual([])
  await pictured(other, 'approval-1366')
  await other.keyboard.press('a')
  await expect(other.getByText('已同意，操作已执行')).toBeVisible()
  await context.close()

  // It is given back: the order says so, the wallet has it, and the books are even.
  await page.reload()
  await expect(page.getByText('已全额退款').first()).toBeVisible()
  expect((await accountOf(http, begun.userId))['rechargeCents']).toBe(WALLET_CENTS)
  const { data: info } = await call<{ refundCents: number; entries: Entry[] }>(request, adminKeys(), 'GET', `/order/${begun.orderId}`, {})
  expect(info.refundCents).toBe(paid_cents)
  expect(info.entries.map(({ what }) => what)).toEqual(['ride', 'ride-paid', 'ride-refund'])
  expect(info.entries.map((entry) => imbalanceOf([entry])), 'each entry sums to nothing').toEqual([0, 0, 0])
  await expect(page.locator('body')).toContainText('退款')
  await fitsEverywhere(page, 'refunded')
})
