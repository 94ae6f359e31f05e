import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import type { ReactNode } from 'react'
import { MemoryRouter, Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Refusal } from '@/api/client'
import { noCodes, useCodes } from '../permission/held'
import { NameItem, TextItem } from '../TextItems'
import { HistoryContext, type RecordHistory } from './history'
import { DayItem } from './items'
import type { RecordParts } from './RecordBody'
import { NewRecordDrawer, RecordDrawer } from './RecordDrawer'
import { RecordForm, without } from './RecordForm'
import { NewRecordPage, RecordPage } from './RecordPage'

// Drawers are large, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 })
interface Place {
  id: string
  name: string
  note: string
  opened: string
  version: number
}
type Fields = Pick<Place, 'name' | 'note' | 'opened'> & { phone?: string }

const place: Place = { id: '7', name: '湖滨', note: '', opened: '2026-06-01', version: 3 }
const onSave = vi.fn<(fields: Fields, version: number) => Promise<unknown>>()
const nothing = () => undefined

function PlaceForm({ of = place, readOnly = false }: { of?: Place; readOnly?: boolean }) {
  const { id, version, name, note, opened } = of
  return (
    <RecordForm<Fields>
      draft={['place', id, version]}
      original={{ name, note, opened }}
      kept={(fields) => without(fields, 'phone')}
      missing="电话需重新填写"
      fieldOf={{ 'name-taken': 'name' }}
      follow={(changed) => ('name' in changed ? { phone: '' } : {})}
      readOnly={readOnly}
      onSave={(fields) => onSave(fields, version)}
    >
      <NameItem name="name" label="名称" max={20} />
      <TextItem name="phone" label="电话" />
      <DayItem name="opened" label="开业日期" />
    </RecordForm>
  )
}

const words = { untitled: '地点详情', failure: '地点加载失败', subject: '这个地点', none: '没有这个地点' }
const refetch = vi.fn<() => Promise<void>>(() => Promise.resolve())
const queryOf = (data: Place | null | undefined) => ({ data, isLoading: data === undefined, isError: false, error: null, refetch })

function partsOf(data: Place | null | undefined, readOnly = false): RecordParts<Place> {
  return {
    id: '7',
    query: queryOf(data),
    category: 'place',
    words,
    title: ({ name }) => name,
    facts: ({ name, version }) => [
      { name: '现名', value: name },
      { name: '版本', value: String(version) },
    ],
    children: (opened) => <PlaceForm of={opened} readOnly={readOnly} />,
  }
}

const wrapped = (node: ReactNode) => (
  <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
    <App>{node}</App>
  </ConfigProvider>
)
const show = (node: ReactNode) => render(wrapped(node))
const drawer = (parts: RecordParts<Place>) => <RecordDrawer {...parts} onClose={nothing} />
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } })
const button = (name: string) => screen.queryByRole('button', { name })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

beforeEach(() => {
  sessionStorage.clear()
  onSave.mockReset().mockResolvedValue(undefined)
})
afterEach(() => {
  cleanup()
  useCodes.setState(noCodes, true)
})

describe('the form of a record', () => {
  it('keeps a draft for each version, without what is personal', () => {
    show(<PlaceForm />)
    type('名称', '湖里')
    type('电话', '13800000000')
    cleanup()
    expect(sessionStorage.getItem('ebike_ops__draft_place_7_3')).not.toContain('138')
    show(<PlaceForm of={{ ...place, version: 4 }} />)
    expect(field('名称').value).toBe('湖滨')
    expect(screen.queryByRole('alert')).toBeNull()
    cleanup()
    show(<PlaceForm />)
    expect(field('名称').value).toBe('湖里')
    expect(screen.getByText('已恢复上次未保存的内容（电话需重新填写）')).toBeTruthy()
    press('放弃草稿')
    expect(field('名称').value).toBe('湖滨')
    expect(sessionStorage.getItem('ebike_ops__draft_place_7_3')).toBeNull()
  })

  it('sends texts trimmed and days as text, also of what it does not show, and drops the draft when that is saved', async () => {
    show(
      <NewRecordDrawer title="新增地点" onClose={nothing}>
        <PlaceForm of={{ ...place, note: '保留' }} />
      </NewRecordDrawer>,
    )
    type('名称', ' 湖里 ')
    expect(sessionStorage.getItem('ebike_ops__draft_place_7_3')).not.toBeNull()
    press('保存')
    await waitFor(() => expect(onSave.mock.calls).toEqual([[{ name: '湖里', note: '保留', opened: '2026-06-01', phone: '' }, 3]]))
    await waitFor(() => expect(sessionStorage.getItem('ebike_ops__draft_place_7_3')).toBeNull())
  })

  it('has other fields follow the one that changes', () => {
    show(<PlaceForm />)
    type('电话', '13800000000')
    type('名称', '湖里')
    expect(field('电话').value).toBe('')
  })

  it('says a refusal at its field and keeps the draft', async () => {
    onSave.mockRejectedValue(new Refusal('name-taken', '名称已存在'))
    show(drawer(partsOf(place)))
    type('名称', '湖里')
    press('保存')
    const said = await screen.findByText('名称已存在')
    expect(said.closest('.ant-form-item')?.textContent).toContain('名称')
    expect(document.activeElement).toBe(field('名称'))
    expect(sessionStorage.getItem('ebike_ops__draft_place_7_3')).toContain('湖里')
  })

  it('turns the button that stands outside of it while it saves', async () => {
    let done: () => void = nothing
    onSave.mockReturnValue(new Promise<void>((resolve) => (done = resolve)))
    show(drawer(partsOf(place)))
    press('保存')
    await waitFor(() => expect(document.querySelector('.ant-drawer-footer .ant-btn-loading')).not.toBeNull())
    await act(async () => done())
    await waitFor(() => expect(document.querySelector('.ant-drawer-footer .ant-btn-loading')).toBeNull())
  })
})

describe('two forms at once', () => {
  it('each have fields of their own', () => {
    show(
      <>
        <PlaceForm />
        <PlaceForm of={{ ...place, id: '8', name: '集美' }} />
      </>,
    )
    const fields = screen.getAllByLabelText<HTMLInputElement>('名称')
    expect(fields.map(({ value }) => value)).toEqual(['湖滨', '集美'])
    expect(new Set(fields.map(({ id }) => id)).size).toBe(2)
  })
})

describe('the drawer of a record', () => {
  it('has nothing to save before the record is there', () => {
    const { rerender } = show(drawer(partsOf(undefined)))
    expect(screen.getByText('地点详情')).toBeTruthy()
    expect(document.querySelector('.ant-skeleton')).not.toBeNull()
    expect(button('保存')).toBeNull()
    rerender(wrapped(drawer(partsOf(place))))
    expect(screen.queryByText('地点详情')).toBeNull()
    expect(button('保存')).not.toBeNull()
  })

  it('says why it did not come, and asks again', () => {
    const parts = partsOf(undefined)
    show(drawer({ ...parts, query: { ...parts.query, isLoading: false, isError: true, error: new Refusal('GONE', '地点已删除') } }))
    expect(screen.getByText('地点已删除')).toBeTruthy()
    expect(button('保存')).toBeNull()
    press('重试')
    expect(refetch).toHaveBeenCalledTimes(1)
  })

  it('says so when there is none', () => {
    show(drawer(partsOf(null)))
    expect(screen.getByText('没有这个地点')).toBeTruthy()
    expect(button('保存')).toBeNull()
  })

  it('announces a newer version, shows its facts, and leaves the form alone until it is loaded', async () => {
    const { rerender } = show(drawer(partsOf(place)))
    expect(screen.queryByRole('alert')).toBeNull()
    rerender(wrapped(drawer(partsOf({ ...place, name: '湖里', version: 4 }))))
    expect(screen.getByRole('alert').textContent).toContain('这个地点刚刚被修改')
    expect(screen.getByText('4')).toBeTruthy()
    expect(field('名称').value).toBe('湖滨')
    // What is saved is the version that was seen: the server refuses it.
    press('保存')
    await waitFor(() => expect(onSave.mock.calls[0]?.[1]).toBe(3))
    press('载入最新内容')
    expect(field('名称').value).toBe('湖里')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('saves nothing of what is only shown, and has nothing to announce', () => {
    sessionStorage.setItem('ebike_ops__draft_place_7_3', JSON.stringify({ name: '没有保存' }))
    const { rerender } = show(drawer(partsOf(place, true)))
    expect(button('保存')).toBeNull()
    expect(field('名称').disabled).toBe(true)
    expect(field('名称').value).toBe('湖滨')
    rerender(wrapped(drawer(partsOf({ ...place, version: 4 }, true))))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('begins anew with another record', () => {
    const { rerender } = show(drawer(partsOf(place)))
    type('名称', '没有保存')
    rerender(wrapped(drawer({ ...partsOf({ ...place, id: '8', name: '集美' }), id: '8' })))
    expect(field('名称').value).toBe('集美')
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('the history of a record', () => {
  const steps = vi.fn<(record: object) => void>()
  const history: RecordHistory = {
    need: '1404',
    Steps: (record) => {
      steps(record)
      return <p>改名</p>
    },
  }
  const withHistory = <HistoryContext value={history}>{drawer(partsOf(place))}</HistoryContext>
  beforeEach(() => steps.mockReset())

  it('is asked for when its tab is chosen, and leaves nothing to save', () => {
    useCodes.setState(new Set(['1404']), true)
    show(withHistory)
    expect(steps).not.toHaveBeenCalled()
    fireEvent.click(screen.getByRole('tab', { name: '操作记录' }))
    expect(screen.getByText('改名')).toBeTruthy()
    expect(steps.mock.calls[0]).toEqual([{ category: 'place', id: '7', version: 3 }])
    expect(button('保存')).toBeNull()
    fireEvent.click(screen.getByRole('tab', { name: '资料' }))
    expect(button('保存')).not.toBeNull()
  })

  it('is not there for whoever may not read the log', () => {
    useCodes.setState(new Set(['1001']), true)
    show(withHistory)
    expect(screen.queryByRole('tab')).toBeNull()
    expect(steps).not.toHaveBeenCalled()
  })
})

describe('a page of its own', () => {
  const at = (page: ReactNode) => (
    <MemoryRouter initialEntries={['/here']}>
      <Routes>
        <Route path="/here" element={page} />
        <Route path="/list" element={<p>列表</p>} />
      </Routes>
    </MemoryRouter>
  )
  const back = { to: '/list', text: '返回列表' }

  it('shows a record with what saves it, and leads back', () => {
    show(at(<RecordPage {...partsOf(place)} unnamed="地址中缺少编号" back={back} />))
    expect(screen.getByRole('heading', { name: '湖滨' })).toBeTruthy()
    expect(button('保存')).not.toBeNull()
    press('取消')
    expect(screen.getByText('列表')).toBeTruthy()
  })

  it('says what the address lacks', () => {
    show(at(<RecordPage {...partsOf(undefined)} id="" unnamed="地址中缺少编号" back={back} />))
    expect(screen.getByText('地址中缺少编号')).toBeTruthy()
    press('返回列表')
    expect(screen.getByText('列表')).toBeTruthy()
  })

  const adding = () =>
    at(
      <NewRecordPage title="新增地点" need={{ code: '1103', page: '地点管理' }} back="/list">
        {() => <PlaceForm />}
      </NewRecordPage>,
    )

  it('adds one for whoever may', () => {
    useCodes.setState(new Set(['1103']), true)
    show(adding())
    expect(button('保存')).not.toBeNull()
  })

  it('tells everybody else which right is missing', () => {
    show(adding())
    expect(screen.getByText('没有新增地点的权限')).toBeTruthy()
    expect(screen.getByText('请联系管理员为您的角色添加「地点管理」权限。')).toBeTruthy()
    expect(button('保存')).toBeNull()
    expect(button('返回')).not.toBeNull()
  })
})
