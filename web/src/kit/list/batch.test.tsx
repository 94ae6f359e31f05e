import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HttpError, Refusal } from '@/api/client'
import { JobNews } from '../jobs/JobNews'
import { cancelJob, currentJobs, forgetJobs } from '../jobs/store'
import { type BatchAnswer, type Fate, namesOf, pieces, runBatches, summaryOf } from './batch'
import { Outcomes, useBatch } from './useBatch'

afterEach(() => {
  cleanup()
  forgetJobs()
})

const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`)
const allDone = (named: string[]): Promise<BatchAnswer> =>
  Promise.resolve({ results: named.map((key) => ({ key, suc: true, error: null })) })

describe('acts on many rows', () => {
  it('one call holds at most what the server takes, and progress is told after each', async () => {
    const run = vi.fn<typeof allDone>(allDone)
    const told: number[] = []
    const fates = await runBatches(keys(450), 200, run, (count) => told.push(count))
    expect(run.mock.calls.map(([named]) => named.length)).toEqual([200, 200, 50])
    expect(run.mock.calls.flatMap(([named]) => named)).toEqual(keys(450))
    expect(told).toEqual([200, 400, 450])
    expect(fates.every(({ kind }) => kind === 'done')).toBe(true)
    expect(pieces([], 200)).toEqual([])
  })

  it('a refusal is told of the one that it concerns, in the order of the rows', async () => {
    const results = [
      { key: 'b', suc: false, error: { promot: '不能停用自己' } },
      { key: 'a', suc: true, error: null },
    ]
    const fates = await runBatches(['a', 'b', 'c'], 200, () => Promise.resolve({ results }))
    expect(fates).toEqual([{ kind: 'done' }, { kind: 'refused', why: '不能停用自己' }, { kind: 'unknown', why: '服务器没有说明结果' }])
  })

  it('a call that is refused as a whole does not stop the next, one without an answer does', async () => {
    const run = vi.fn<typeof allDone>(allDone).mockRejectedValueOnce(new Refusal('contended', '请稍后再试')).mockRejectedValueOnce(new HttpError(0, '网络出现问题'))
    const fates = await runBatches(keys(6), 2, run)
    expect(run).toHaveBeenCalledTimes(2)
    const refused: Fate = { kind: 'refused', why: '请稍后再试' }
    const unknown: Fate = { kind: 'unknown', why: '网络出现问题' }
    expect(fates).toEqual([refused, refused, unknown, unknown, { kind: 'unsent' }, { kind: 'unsent' }])
    expect(summaryOf(fates, '停用', '人')).toBe('已停用 0 人，2 人未能处理，2 人结果未知，2 人没有提交')
  })

  it('what is cancelled sends no further call, and says so of each that was not sent', async () => {
    const controller = new AbortController()
    const run = vi.fn<typeof allDone>(allDone)
    const fates = await runBatches(keys(5), 2, run, (count) => count === 4 && controller.abort(), controller.signal)
    expect(run).toHaveBeenCalledTimes(2)
    expect(summaryOf(fates, '停用', '人')).toBe('已停用 4 人，1 人没有提交')
  })

  it('an answer that tells of nobody means that all was done', async () => {
    expect(await runBatches(['a'], 50, () => Promise.resolve({}))).toEqual([{ kind: 'done' }])
    expect(summaryOf([{ kind: 'done' }], '启用', '个角色')).toBe('已启用 1 个角色')
  })

  it('names more than a few are counted', () => {
    expect(namesOf(['甲', '乙'], '人')).toBe('甲、乙')
    expect(namesOf(keys(9), '个角色')).toBe('k0、k1、k2、k3、k4、k5、k6、k7 等 9 个角色')
  })

  it('what was refused stands first, each with its reason, then what was done', () => {
    render(<Outcomes names={['王芳', '李雷']} fates={[{ kind: 'done' }, { kind: 'refused', why: '不能停用自己' }]} verb="停用" />)
    const [first, second] = screen.getAllByRole('region')
    expect(first?.getAttribute('aria-label')).toBe('未能处理')
    expect(within(first as HTMLElement).getByRole('listitem').textContent).toBe('李雷不能停用自己')
    expect(second?.getAttribute('aria-label')).toBe('已停用')
    expect(second?.textContent).toContain('王芳')
  })
})

describe('what was not done', () => {
  it('is taken away as a file and tried again, that alone, once', async () => {
    const asked: string[][] = []
    const refuseFirst = (named: string[]) => {
      asked.push(named)
      return Promise.resolve({ results: named.map((key) => ({ key, suc: key !== 'k0' || asked.length > 1, error: key === 'k0' ? { promot: '车辆在库，不能下架' } : null })) })
    }
    function Acting() {
      const act = useBatch<string>({ keyOf: (key) => key, called: (key) => key, counter: '辆', stale: [] })
      const order = { act: '批量下架', verb: '下架', rows: keys(2), none: '', consequence: '', run: refuseFirst }
      return (
        <button type="button" onClick={() => act(order, () => undefined)}>
          下架
        </button>
      )
    }
    render(
      <QueryClientProvider client={new QueryClient()}>
        <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
          <App>
            <Acting />
          </App>
        </ConfigProvider>
      </QueryClientProvider>,
    )
    fireEvent.click(screen.getByRole('button', { name: '下架' }))
    fireEvent.click(await screen.findByRole('button', { name: '批量下架' }))
    fireEvent.click(await screen.findByRole('button', { name: '重试未完成的' }))
    await waitFor(() => expect(asked).toEqual([['k0', 'k1'], ['k0']]))
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /已重新提交/ }).disabled).toBe(true)
  })
})

describe('a batch on the page', () => {
  const done = vi.fn<() => void>()
  /** Calls that the server has not answered yet. */
  const open: { named: string[]; answer(): void }[] = []
  const run = (named: string[]) =>
    new Promise<BatchAnswer>((resolve) => {
      open.push({ named, answer: () => resolve({}) })
    })

  function Acting({ count }: { count: number }) {
    const act = useBatch<string>({ keyOf: (key) => key, called: (key) => key, counter: '人', stale: [] })
    return (
      <button type="button" onClick={() => act({ act: '批量停用', verb: '停用', rows: keys(count), none: '', consequence: '', atOnce: 2, run }, done)}>
        停用
      </button>
    )
  }

  const begin = async (count: number) => {
    render(
      <QueryClientProvider client={new QueryClient()}>
        <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
          <App>
            <JobNews />
            <Acting count={count} />
          </App>
        </ConfigProvider>
      </QueryClientProvider>,
    )
    fireEvent.click(screen.getByRole('button', { name: '停用' }))
    fireEvent.click(await screen.findByRole('button', { name: '批量停用' }))
    await waitFor(() => expect(open).toHaveLength(1))
  }

  afterEach(() => {
    open.length = 0
    done.mockClear()
  })

  it('of several calls is a job: the question goes at once, and cancelled it says what was not sent', async () => {
    await begin(5)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(done).toHaveBeenCalledOnce()
    const [job] = currentJobs()
    expect(job).toMatchObject({ title: '批量停用 5 人', state: 'running' })
    cancelJob(job?.id ?? -1)
    open[0]?.answer()
    const outcome = await screen.findByRole('dialog')
    expect(outcome.textContent).toContain('已停用 2 人，3 人没有提交')
    expect(within(outcome).getByRole('region', { name: /没有提交/ }).querySelectorAll('li')).toHaveLength(3)
    expect(open.map(({ named }) => named)).toEqual([['k0', 'k1']])
    expect(currentJobs()[0]).toMatchObject({ state: 'cancelled', result: { text: '已停用 2 人，3 人没有提交' } })
  })

  it('of one call is none: the question stays until it is answered', async () => {
    await begin(2)
    expect([currentJobs(), done.mock.calls]).toEqual([[], []])
    expect(screen.getByRole('dialog')).toBeTruthy()
    open[0]?.answer()
    expect(await screen.findByText('已停用 2 人')).toBeTruthy()
    expect(done).toHaveBeenCalledOnce()
  })
})
