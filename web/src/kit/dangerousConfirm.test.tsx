import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useSwitch } from './list/useSwitch'
import { useAskedCommand } from './useAskedCommand'
import type { Danger } from './useDangerousConfirm'
vi.setConfig({ testTimeout: 30_000 })

const run = vi.fn<(input: object) => Promise<unknown>>()
const ending: Danger = { act: '解约加盟商', name: '湖滨出行', consequence: '不能恢复。', reason: { label: '解约原因', placeholder: '', max: 20 } }

interface Row {
  id: string
  state: number
  system?: boolean
}
const rows: Row[] = [{ id: '1', state: 1 }, { id: '2', state: 0 }, { id: '3', state: 1, system: true }]

function Acts({ danger }: { danger: Danger }) {
  const end = useAskedCommand({ run, stale: [] })
  const { rowAction, batchActions } = useSwitch<Row>({
    noun: '角色',
    counter: '个角色',
    done: '角色状态已更新',
    stale: [],
    keyOf: ({ id }) => id,
    called: ({ id }) => `角色 ${id}`,
    consequence: (concerned, enable) => `${concerned.length} 个${enable ? '生效' : '失效'}。`,
    may: ({ system }) => !system,
    switchOne: (key, state) => run({ key, state }),
    switchMany: (keys, state) => run({ keys, state }).then(() => ({})),
  })
  return (
    <>
      <button type="button" onClick={() => end(danger.reason ? (reason) => ({ id: '7', reason }) : { id: '7' }, danger)}>
        解约
      </button>
      {rows.map((row) => (
        <button key={row.id} type="button" onClick={rowAction(row).onRun}>
          {rowAction(row).label} {row.id}
        </button>
      ))}
      {batchActions.map(({ key, label, onRun }) => (
        <button key={key} type="button" onClick={() => onRun(rows, () => undefined)}>
          {label}
        </button>
      ))}
    </>
  )
}

function show(danger = ending) {
  run.mockReset().mockResolvedValue(undefined)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <Acts danger={danger} />
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
}
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
/** Says yes to the question. */
const agree = async (act: string) => fireEvent.click((await screen.findAllByRole('button', { name: act })).at(-1) as HTMLElement)

afterEach(cleanup)

describe('a dangerous act', () => {
  it('is done after a yes alone', async () => {
    const { reason: _, ...plain } = ending
    show(plain)
    press('解约')
    expect(await screen.findByText('不能恢复。')).toBeTruthy()
    expect(run).not.toHaveBeenCalled()
    await agree('解约加盟商')
    await waitFor(() => expect(run.mock.calls[0]?.[0]).toEqual({ id: '7' }))
  })

  it('waits for its reason, and sends that without the spaces around it', async () => {
    show()
    press('解约')
    const reason = await screen.findByLabelText('解约原因')
    const act = screen.getByRole<HTMLButtonElement>('button', { name: '解约加盟商' })
    fireEvent.change(reason, { target: { value: '   ' } })
    expect(act.disabled).toBe(true)
    fireEvent.change(reason, { target: { value: ' 经营不善 ' } })
    await waitFor(() => expect(act.disabled).toBe(false))
    await agree('解约加盟商')
    await waitFor(() => expect(run.mock.calls[0]?.[0]).toEqual({ id: '7', reason: '经营不善' }))
  })
})

describe('rows that are enabled and disabled', () => {
  it('one is switched to what it is not', async () => {
    show()
    press('启用 2')
    expect(await screen.findByRole('dialog', { name: '启用角色「角色 2」？' })).toBeTruthy()
    expect(screen.getByText('1 个生效。')).toBeTruthy()
    await agree('启用角色')
    await waitFor(() => expect(run.mock.calls[0]?.[0]).toEqual({ key: '2', state: 1 }))
  })

  it('of many those that may be and are not so already', async () => {
    show()
    press('批量停用')
    expect(await screen.findByText(/1 个失效。/)).toBeTruthy()
    await agree('批量停用')
    await waitFor(() => expect(run.mock.calls[0]?.[0]).toEqual({ keys: ['1'], state: 0 }))
  })
})
