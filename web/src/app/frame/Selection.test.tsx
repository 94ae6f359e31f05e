import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { says, type Server, startServer, tokenOf } from '@/api/server.fixture'
import { saveSignature } from '@/api/storage'
import { plugNotifier } from '../notify'
import { loadFirstSelection, useSelection } from '../session/selection'
import { useSession } from '../session/store'
import { Selection } from './Selection'

const AGENTS = '/platform/agent/account/list'
const AREAS = '/platform/agent/serviceArea/opMan'
const TOKEN = '/auth/token'

const agents = (...ids: string[]) => says({ suc: true, data: { rows: ids.map((id) => ({ agentId: id, company: `加盟商${id}` })) } })
const areas = (ids: string[], count = ids.length) =>
  says({ suc: true, data: { list: ids.map((id) => ({ id, name: `服务区${id}` })), count } })

// Dialogs are large, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 })
let server: Server
let asked = 0

/** A page that is open beside: it shows what belongs to the selection. */
function OpenPage() {
  useQuery({ queryKey: ['rows'], queryFn: () => Promise.resolve((asked += 1)) })
  return null
}

function show(codes: string[] = ['01']) {
  useSession.setState({ codes: new Set(codes) })
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <Selection />
          <OpenPage />
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
}

const button = (name: string) => screen.getByRole('button', { name })
const press = (name: string) => fireEvent.click(button(name))
const inDialog = async () => within(await screen.findByRole('dialog'))
const open = async (what: '代理商' | '服务区') => {
  press(`选择${what}`)
  const dialog = await inDialog()
  await dialog.findAllByRole('checkbox')
  return dialog
}
const closed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

beforeEach(() => {
  localStorage.clear()
  asked = 0
  localStorage.setItem('opMan', '13812345678')
  saveSignature({ _t: 'session-1', _k: toBase64Url(randomBytes(32)) }, Date.now())
  useSelection.setState({ agentIds: [], opAreaIds: [] })
  server = startServer()
  server.answers(AGENTS, agents('1', '2', '3', '4', '5'))
  server.answers(AREAS, areas(['21', '22', '23']))
  server.answers(TOKEN, says({ suc: true, data: { token: tokenOf({ userId: '900', exp: 4_000_000_000 }), expiresAt: 0 } }))
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  plugNotifier(null)
})

describe('what the header says of the selection', () => {
  it('FRAME-017 FRAME-019 SEL-003 the numbers chosen, and 全选 for a cleared selection', () => {
    useSelection.setState({ agentIds: ['1', '2'], opAreaIds: ['21', '22', '23'] })
    const { container } = show()
    expect(container.textContent).toMatch(/代理商2.*服务区3/)
    cleanup()
    useSelection.setState({ agentIds: [], opAreaIds: [] })
    expect(show().container.textContent).toMatch(/代理商全选.*服务区全选/)
  })

  it('PERM-011 AMB-089 the agents need the code 01, the areas are for everyone', () => {
    show([])
    expect(screen.queryByText('代理商')).toBeNull()
    expect(screen.queryByRole('button', { name: '选择代理商' })).toBeNull()
    expect(button('选择服务区')).toBeTruthy()
    cleanup()
    show(['01'])
    expect(button('选择代理商')).toBeTruthy()
  })
})

describe('the dialog', () => {
  it('FRAME-018 FRAME-020 MODAL-001 MODAL-003 lists agents or areas, each with title and id', async () => {
    show()
    const first = await open('代理商')
    expect(first.getByText('选择', { selector: '.ant-modal-title' })).toBeTruthy()
    expect(first.getByRole('checkbox', { name: /加盟商1.*1/ })).toBeTruthy()
    fireEvent.click(first.getByRole('button', { name: '取消' }))
    await closed()
    const second = await open('服务区')
    expect(second.getByRole('checkbox', { name: /服务区21.*21/ })).toBeTruthy()
  })

  it('MODAL-005 全选 becomes 取消全选 when all are chosen', async () => {
    useSelection.setState({ agentIds: ['1'] })
    show()
    const dialog = await open('代理商')
    fireEvent.click(dialog.getByRole('button', { name: '全选' }))
    for (const box of dialog.getAllByRole('checkbox')) expect((box as HTMLInputElement).checked).toBe(true)
    fireEvent.click(dialog.getByRole('button', { name: '取消全选' }))
    for (const box of dialog.getAllByRole('checkbox')) expect((box as HTMLInputElement).checked).toBe(false)
    expect(dialog.getByRole('button', { name: '全选' })).toBeTruthy()
  })

  it('MODAL-004 cancel keeps the old selection', async () => {
    useSelection.setState({ opAreaIds: ['21'] })
    show()
    const dialog = await open('服务区')
    fireEvent.click(dialog.getByRole('button', { name: '全选' }))
    fireEvent.click(dialog.getByRole('button', { name: '取消' }))
    await closed()
    expect(useSelection.getState().opAreaIds).toEqual(['21'])
    expect(server.paths()).not.toContain(TOKEN)
    const again = await open('服务区')
    expect(again.getAllByRole('checkbox').map((box) => (box as HTMLInputElement).checked)).toEqual([true, false, false])
  })

  it('VAL-013 nothing chosen is warned of, and the dialog stays', async () => {
    show()
    const dialog = await open('服务区')
    fireEvent.click(dialog.getByRole('button', { name: '取消全选' }))
    fireEvent.click(dialog.getByRole('button', { name: '确定' }))
    expect(await screen.findByText('请至少选择一项')).toBeTruthy()
    expect(screen.queryByRole('dialog')).not.toBeNull()
    expect(server.paths()).not.toContain(TOKEN)
  })

  it('MODAL-006 SEL-004 confirm stores the ids chosen, and open pages ask again', async () => {
    show()
    const dialog = await open('服务区')
    await waitFor(() => expect(asked).toBe(1))
    fireEvent.click(dialog.getByRole('checkbox', { name: /服务区22/ }))
    fireEvent.click(dialog.getByRole('button', { name: '确定' }))
    await closed()
    expect(localStorage.getItem('opAreaIds')).toBe('21,23')
    expect(useSelection.getState().opAreaIds).toEqual(['21', '23'])
    expect(document.body.textContent).toMatch(/服务区2/)
    expect(server.sent.find((call) => call.path === TOKEN)?.content).toMatchObject({ opAreaIds: ['21', '23'] })
    await waitFor(() => expect(asked).toBe(2))
  })

  it('SEL-001 SEL-002 all chosen clears what is stored', async () => {
    useSelection.setState({ agentIds: ['1'], opAreaIds: ['21'] })
    show()
    const dialog = await open('服务区')
    fireEvent.click(dialog.getByRole('button', { name: '全选' }))
    fireEvent.click(dialog.getByRole('button', { name: '确定' }))
    await closed()
    expect(localStorage.getItem('opAreaIds')).toBe('')
    const agentDialog = await open('代理商')
    fireEvent.click(agentDialog.getByRole('button', { name: '全选' }))
    fireEvent.click(agentDialog.getByRole('button', { name: '确定' }))
    await closed()
    expect(localStorage.getItem('agentIds')).toBe('')
  })

  it('AMB-049 other agents clear the areas, whose list is asked for anew', async () => {
    useSelection.setState({ opAreaIds: ['21'] })
    localStorage.setItem('opAreaIds', '21')
    show()
    const dialog = await open('代理商')
    for (const id of ['3', '4', '5']) fireEvent.click(dialog.getByRole('checkbox', { name: new RegExp(`加盟商${id}`) }))
    fireEvent.click(dialog.getByRole('button', { name: '确定' }))
    await closed()
    expect(useSelection.getState()).toMatchObject({ agentIds: ['1', '2'], opAreaIds: [] })
    expect(server.sent.find((call) => call.path === TOKEN)?.content).toMatchObject({ agentIds: ['1', '2'], opAreaIds: [] })
    expect(server.sent.findLast((call) => call.path === AREAS)?.content).toMatchObject({ agentIds: '1,2' })
  })

  it('finds by name or id, and says when nothing is found', async () => {
    show()
    const dialog = await open('代理商')
    fireEvent.change(dialog.getByLabelText('筛选'), { target: { value: '加盟商3' } })
    expect(dialog.getAllByRole('checkbox')).toHaveLength(1)
    fireEvent.change(dialog.getByLabelText('筛选'), { target: { value: '没有' } })
    expect(dialog.queryAllByRole('checkbox')).toHaveLength(0)
    expect(dialog.getByText('没有符合筛选条件的项')).toBeTruthy()
  })

  it('of very many it shows the first, and says how to find the others', async () => {
    server.answers(AGENTS, agents(...Array.from({ length: 600 }, (_, index) => String(1000 + index))))
    show()
    press('选择代理商')
    expect(await screen.findByText(/仅显示前 200 项，共 600 项/)).toBeTruthy()
    expect(document.querySelectorAll('.select-grid input')).toHaveLength(200)
  })
})

describe('lists that are empty or do not come', () => {
  it('ERR-029 says that there are no agents to choose from', async () => {
    server.answers(AGENTS, agents())
    show()
    press('选择代理商')
    expect((await screen.findAllByText('没有可选择的代理商列表')).length).toBeGreaterThan(0)
    expect((await inDialog()).getByRole('button', { name: '确定' }).hasAttribute('disabled')).toBe(true)
  })

  it('ERR-030 says that there are no areas to choose from', async () => {
    server.answers(AREAS, areas([]))
    show()
    press('选择服务区')
    expect((await screen.findAllByText('没有可选择的服务区列表')).length).toBeGreaterThan(0)
  })

  it('ERR-031 says that the areas were not obtained, in the dialog and on the first load', async () => {
    server.answers(AREAS, says({ suc: false, error: { code: '', promot: '' } }))
    show()
    press('选择服务区')
    expect((await screen.findAllByText('未获取到服务区信息')).length).toBeGreaterThan(0)
    const error = vi.fn<(title: string, text: string) => void>()
    plugNotifier({ error, success: vi.fn<() => void>() })
    await loadFirstSelection()
    expect(error).toHaveBeenCalledWith('错误', '未获取到服务区信息')
  })
})

describe('the first load', () => {
  it('SEL-005 SEL-006 without stored areas the list is asked for once, and fewer than all are kept', async () => {
    server.answers(AREAS, areas(['21', '22'], 5))
    await loadFirstSelection()
    expect(server.paths()).toEqual([AREAS])
    expect(localStorage.getItem('opAreaIds')).toBe('21,22')
    await loadFirstSelection()
    expect(server.paths()).toEqual([AREAS])
  })

  it('SEL-007 all areas are kept as none, which reads 全选', async () => {
    await loadFirstSelection()
    expect(localStorage.getItem('opAreaIds') ?? '').toBe('')
    expect(show().container.textContent).toMatch(/服务区全选/)
  })
})
