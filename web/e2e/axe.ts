/** Accessibility as axe-core sees it, WCAG 2 levels A and AA. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'

const source = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

interface Axe {
  run(where: object, how: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** What is wrong with the page as it stands; a line for each rule broken. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe }
    // The watermark lies over everything and would be taken for the ground of all text.
    document.querySelector<HTMLElement>('.watermark')?.style.setProperty('display', 'none', 'important')
    // What is right is not told, nor are selectors; and no rule of these levels reads style sheets.
    const how = { runOnly: ['wcag2a', 'wcag2aa'], resultTypes: ['violations'], selectors: false, preload: { assets: ['media'] } }
    const found = await axe.run({ exclude: ['.ant-table-measure-row', '.chat-handle'] }, how)
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
  })
}
