/** Photos of a fence: brought, looked at, taken away. */
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const drawer = (page: Page) => page.locator('.ant-drawer-open')

/** A picture as a browser paints one. */
async function picture(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 640
    canvas.height = 480
    const paint = canvas.getContext('2d')!
    paint.fillStyle = '#7a9'
    paint.fillRect(0, 0, 640, 480)
    paint.fillStyle = '#fff'
    paint.fillRect(120, 300, 400, 24)
    return canvas.toDataURL('image/jpeg').split(',')[1]!
  })
  return Buffer.from(base64, 'base64')
}

test('a parking place shows a photo of itself, and shows it no more', async ({ page }) => {
  await page.goto(at('/electronic/no-stop-fence'))
  await page.locator('.ant-table-row').first().getByRole('cell').nth(1).click()
  await drawer(page).getByRole('tab', { name: /^照片/ }).click()
  await expect(drawer(page).getByText(/^还没有照片/)).toBeVisible()
  const brought = drawer(page).locator('input[type=file]')
  await brought.setInputFiles({ name: 'note.txt', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') })
  await expect(page.getByText('只能上传 JPEG、PNG、WebP 图片或 PDF 文件')).toBeVisible()
  await brought.setInputFiles({ name: 'place.jpg', mimeType: 'image/jpeg', buffer: await picture(page) })
  await expect(page.getByText('照片已添加')).toBeVisible()
  const shown = drawer(page).getByRole('img', { name: '照片 1' })
  await expect(shown).toBeVisible()
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(640)
  await expect(drawer(page).getByRole('tab', { name: '照片 1' })).toBeVisible()
  expect(await violationsOf(page)).toEqual([])
  await drawer(page).getByRole('button', { name: '移除照片 1' }).click()
  await page.getByRole('dialog', { name: '移除照片 1？' }).getByRole('button', { name: /移\s*除/ }).click()
  await expect(drawer(page).getByText(/^还没有照片/)).toBeVisible()
})
