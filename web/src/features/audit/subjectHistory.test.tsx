import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Refusal } from '@/api/client'
import type { History, Step } from './log'
import { NewestSteps } from './SubjectHistory'
import { logAddressOf, readLogAddress, replayAddressOf } from './useLogAddress'

const subject = { category: 'role', id: '42' }
const refetch = vi.fn<() => Promise<void>>(() => Promise.resolve())
const usual = { data: undefined, isLoading: false, isError: false, error: null, refetch }

const step = (position: number, more: Partial<Step> = {}): Step => ({
  position,
  version: position,
  time: Date.UTC(2026, 10, 20, 17, 30),
  actor: { kind: 1, id: '7', name: '王小明', phone: '138****5678' },
  action: 'role.changed',
  actionLabel: '修改角色',
  ip: '',
  traceId: '',
  changes: [],
  ...more,
})
const change = { field: 'name', label: '角色名称', before: '客服', after: '客服主管', beforeText: '客服', afterText: '客服主管', added: null, removed: null }
const codes = { ...change, field: 'codes', label: '权限', beforeText: '2 项', afterText: '2 项', added: ['人员列表'], removed: ['角色列表'] }

function show(query: Partial<Parameters<typeof NewestSteps>[0]['query']>) {
  render(
    <MemoryRouter>
      <NewestSteps subject={subject} query={{ ...usual, ...query }} />
    </MemoryRouter>,
  )
}
const history = (rows: Step[], count = rows.length): History => ({ ...subject, categoryLabel: '角色', name: '客服', rows, count })
const read = (address: string) => readLogAddress(new URLSearchParams(address.slice(address.indexOf('?'))), '7d')

afterEach(cleanup)

describe('what was done to a record last', () => {
  it('says when, who, what, and what it changed', () => {
    show({ data: history([step(2, { changes: [change, codes] }), step(1, { actionLabel: '到期', actor: { kind: 3, id: '', name: '合同到期', phone: '' } })], 31) })
    const [first, second] = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(first).toBe('修改角色2026-11-21 01:30:00 · 王小明 138****5678角色名称客服 → 客服主管权限− 角色列表+ 人员列表')
    expect(second).toBe('到期2026-11-21 01:30:00 · 系统规则 合同到期')
    expect(screen.getByText('最近 2 步，共 31 步')).toBeTruthy()
  })

  it('leads to all of it in the log, and to its replay', () => {
    show({ data: history([step(1)]) })
    expect(screen.getByText('共 1 步')).toBeTruthy()
    expect(screen.getByRole('link', { name: '查看全部' }).getAttribute('href')).toBe(logAddressOf(subject))
    expect(screen.getByRole('link', { name: '逐步回放' }).getAttribute('href')).toBe('/operation/operator-log?replay=role%2F42%2F0')
    expect(read(logAddressOf(subject))).toMatchObject({ filters: { actorKind: 'all', act: '@role', target: '42' }, range: 'all', replay: null })
    expect(read(replayAddressOf(subject)).replay).toEqual({ category: 'role', id: '42', position: 0 })
  })

  it('is on its way, or there is none', () => {
    show({ isLoading: true })
    expect(document.querySelector('.ant-skeleton')).not.toBeNull()
    cleanup()
    show({ data: history([]) })
    expect(screen.getByText('还没有操作记录')).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('says why it did not come, and asks again', () => {
    show({ isError: true, error: new Refusal('history-too-long', '该对象的历史超过 20000 步') })
    expect(screen.getByText('该对象的历史超过 20000 步')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: /重\s?试/ }))
    expect(refetch).toHaveBeenCalledTimes(1)
  })
})
