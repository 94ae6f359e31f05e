import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { afterEach, expect, it, vi } from 'vitest'
import { JobNews } from '@/kit/jobs/JobNews'
import type { Result } from '@/kit/jobs/jobs'
import { currentJobs, forgetJobs, startJob } from '@/kit/jobs/store'
import { JobTray } from './JobTray'

vi.setConfig({ testTimeout: 30_000 })

afterEach(() => {
  cleanup()
  forgetJobs()
})

const endless = () => new Promise<Result>(() => {})

function show() {
  render(
    <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
      <App>
        <JobNews />
        <JobTray />
      </App>
    </ConfigProvider>,
  )
}

const tray = () => screen.getByRole('button', { name: /^任务/ })
const open = async () => {
  fireEvent.click(tray())
  return within(await screen.findByRole('dialog', {}, { timeout: 10_000 }))
}

it('counts what is under way, lists it and cancels it', async () => {
  show()
  expect(tray().getAttribute('aria-label')).toBe('任务')
  startJob({
    title: '导出「摊位」',
    run: ({ signal, report }) => {
      report(3, 4, '条')
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
    },
  })
  startJob({ title: '导出「角色」', run: endless })
  await waitFor(() => expect(tray().getAttribute('aria-label')).toBe('任务：2 个进行中'))
  const panel = await open()
  expect(panel.getAllByRole('listitem').map((item) => item.querySelector('strong')?.textContent)).toEqual(['导出「角色」', '导出「摊位」'])
  await waitFor(() => expect(panel.getByRole('progressbar', { name: '导出「摊位」 的进度' }).getAttribute('aria-valuenow')).toBe('75'))
  expect(panel.getByText('3 / 4 条')).toBeTruthy()
  expect(panel.getByText('正在等待服务器')).toBeTruthy()
  fireEvent.click(panel.getByRole('button', { name: '取消 导出「摊位」' }))
  await waitFor(() => expect(panel.getByText('已取消')).toBeTruthy())
  expect(tray().getAttribute('aria-label')).toBe('任务：1 个进行中')
  fireEvent.click(panel.getByRole('button', { name: '清除已完成' }))
  expect(panel.getAllByRole('listitem')).toHaveLength(1)
})

it('says what failed and why, and does it once more', async () => {
  show()
  const run = vi.fn<() => Promise<Result>>().mockRejectedValueOnce(new Error('unknown')).mockResolvedValueOnce({ kind: 'success', text: '已导出 7 条' })
  startJob({ title: '导出「摊位」', otherwise: '导出失败', run })
  expect(await screen.findByText('导出「摊位」：导出失败')).toBeTruthy()
  const panel = await open()
  fireEvent.click(panel.getByRole('button', { name: '重试 导出「摊位」' }))
  await waitFor(() => expect(currentJobs()[0]?.state).toBe('done'))
  expect(run).toHaveBeenCalledTimes(2)
  await waitFor(() => expect(screen.getAllByText('已导出 7 条')).toHaveLength(2))
})

it('shows again what became of each', async () => {
  show()
  startJob({ title: '批量停用 2 人', run: () => Promise.resolve({ kind: 'warning', text: '已停用 1 人', details: <p>王芳</p> }) })
  expect(await screen.findByText('王芳')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: '知道了' }))
  await waitFor(() => expect(screen.queryByText('王芳')).toBeNull())
  const panel = await open()
  fireEvent.click(panel.getByRole('button', { name: '查看结果 批量停用 2 人' }))
  expect(await screen.findByText('王芳')).toBeTruthy()
})
