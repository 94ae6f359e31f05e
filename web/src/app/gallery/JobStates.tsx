import { App, Button, Space } from 'antd'
import type { Job } from '@/kit/jobs/jobs'
import { JobList } from '@/kit/jobs/JobList'
import { startJob } from '@/kit/jobs/store'
import { Outcomes } from '@/kit/list/useBatch'
import { JobTray } from '../frame/JobTray'
import { State } from './State'

const STEPS = 40
const STEP_MS = 200

const usual: Job = { id: 0, key: null, title: '导出「示例列表」', state: 'running', progress: null, result: null, why: null }
const refused = <Outcomes names={['示例甲', '示例乙']} fates={[{ kind: 'done' }, { kind: 'refused', why: '不能归档进行中的记录' }]} verb="归档" />
const states: readonly Omit<Job, 'id'>[] = [
  { ...usual, title: '导出「排队的列表」', state: 'waiting' },
  { ...usual, title: '导出「等待服务器的列表」' },
  { ...usual, title: '导出「长度未知的列表」', progress: { done: 1_300_000, total: null } },
  { ...usual, title: '导出「正在接收的列表」', progress: { done: 1_300_000, total: 4_200_000 } },
  { ...usual, title: '批量归档 450 条', progress: { done: 200, total: 450, counter: '条' } },
  { ...usual, title: '批量归档 600 条', state: 'stopping', progress: { done: 200, total: 600, counter: '条' } },
  { ...usual, state: 'done', result: { kind: 'success', text: '已导出 4,210 条' } },
  { ...usual, state: 'done', result: { kind: 'warning', text: '只导出了前 50000 条，请缩小筛选范围' } },
  { ...usual, title: '批量归档 2 条', state: 'done', result: { kind: 'warning', text: '已归档 1 条，1 条未能处理', details: refused } },
  { ...usual, state: 'failed', why: '网络出现问题，请稍后再试' },
  { ...usual, state: 'cancelled' },
]

/** Counts to its end, or fails half-way. */
async function sampleWork(report: (done: number, total: number, counter: string) => void, signal: AbortSignal, fails: boolean) {
  for (let step = 1; step <= STEPS; step += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await new Promise((wake) => setTimeout(wake, STEP_MS))
    signal.throwIfAborted()
    if (fails && step > STEPS / 2) throw new Error('half-way')
    report(step, STEPS, '步')
  }
  return { kind: 'success', text: '示例任务已完成' } as const
}

/** A job in each state, and the tray with jobs of its own. */
export function JobStates() {
  const { message } = App.useApp()
  const begin = (fails: boolean) => {
    const begun = startJob({ title: fails ? '会失败的任务' : '示例任务', run: ({ report, signal }) => sampleWork(report, signal, fails) })
    if (!begun) void message.info('任务太多')
  }
  return (
    <>
      <Space wrap>
        <JobTray />
        <Button onClick={() => begin(false)}>开始任务</Button>
        <Button onClick={() => begin(true)}>开始会失败的任务</Button>
      </Space>
      <State name="没有任务">
        <JobList jobs={[]} onCancel={() => undefined} onRetry={() => undefined} />
      </State>
      <State name="每种状态">
        <JobList jobs={states.map((job, id) => ({ ...job, id }))} onCancel={() => undefined} onRetry={() => undefined} />
      </State>
    </>
  )
}
