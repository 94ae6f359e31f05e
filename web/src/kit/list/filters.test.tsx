import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { areaChoices } from '../areaChoices'
import type { Filter, Filters } from './description'
import { FilterRow } from './FilterRow'
import { MOST_SAVED, readSaved, withSaved } from './saved'
import { SavedFiltersMenu } from './SavedFiltersMenu'
import { askedOf, queryOf, rangeOf } from './times'
import { TYPING_PAUSE_MS } from './useTyped'

const filters: Filter[] = [
  { kind: 'numbers', from: 'fromCount', to: 'toCount', label: '车辆' },
  { kind: 'money', from: 'minCents', to: 'maxCents', label: '应付金额' },
  { kind: 'times', from: 'startTime', to: 'endTime', label: '创建时间' },
  {
    kind: 'several',
    name: 'states',
    label: '状态',
    options: [
      { value: '1', label: '甲' },
      { value: '2', label: '乙' },
    ],
  },
]
/** 2026-11-21 01:30:00 in Shanghai, still the day before in UTC. */
const NOW = Date.UTC(2026, 10, 20, 17, 30, 0)

let values: Filters
function Row({ first = {} }: { first?: Filters }) {
  const [now, setNow] = useState(first)
  const take = (next: Filters) => {
    values = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''))
    setNow(values)
  }
  return (
    <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
      <App>
        <FilterRow filters={filters} values={now} onChange={take}>
          <SavedFiltersMenu id="test" values={now} onApply={take} />
        </FilterRow>
      </App>
    </ConfigProvider>
  )
}
const type = (label: string, value: string) => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
  act(() => void vi.advanceTimersByTime(TYPING_PAUSE_MS))
}

beforeEach(() => {
  vi.useFakeTimers()
  values = {}
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  localStorage.clear()
})

describe('from one number to another', () => {
  it('two parameters, of numbers alone', () => {
    render(<Row />)
    type('车辆从', '10')
    type('车辆到', '20.5')
    expect(values).toEqual({ fromCount: '10', toCount: '20.5' })
    type('车辆到', '多')
    expect(values).toEqual({ fromCount: '10', toCount: '20.5' })
    expect(screen.getByLabelText('车辆到').title).toBe('请输入数字')
    type('车辆到', '9')
    expect(screen.getByLabelText('车辆到').title).toBe('起始值大于结束值')
  })
})

describe('from one amount to another', () => {
  it('is typed in yuan with two decimals at most, and asked for in cents', () => {
    render(<Row />)
    type('应付金额从', '1.05')
    type('应付金额到', '20')
    expect(values).toEqual({ minCents: '105', maxCents: '2000' })
    for (const nonsense of ['20.005', '二十', '-1', '1e3', '.5']) {
      type('应付金额到', nonsense)
      expect(screen.getByLabelText('应付金额到').title, nonsense).toBe('请输入金额，单位元，最多两位小数')
    }
    expect(values).toEqual({ minCents: '105', maxCents: '2000' })
    type('应付金额到', '1')
    expect(screen.getByLabelText('应付金额到').title).toBe('起始值大于结束值')
    type('应付金额从', '')
    expect(values).toEqual({ maxCents: '100' })
  })

  it('stays as it was typed, and reads as yuan when it comes from an address', () => {
    render(<Row first={{ minCents: '150', maxCents: 'many' }} />)
    const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value
    expect([field('应付金额从'), field('应付金额到')]).toEqual(['1.5', ''])
    type('应付金额从', '12.0')
    expect([field('应付金额从'), values['minCents']]).toEqual(['12.0', '1200'])
    type('应付金额从', '12.05')
    expect([field('应付金额从'), values['minCents']]).toEqual(['12.05', '1205'])
    fireEvent.click(screen.getByRole('button', { name: '重置' }))
    expect(field('应付金额从')).toBe('')
  })
})

describe('a range of days', () => {
  it('moves with the clock when it has a name', () => {
    render(<Row />)
    fireEvent.click(screen.getByText('近 7 天'))
    expect(values).toEqual({ startTime: '7d' })
    expect(queryOf(filters, { ...values, states: '1' }, NOW)).toEqual({ startTime: '2026-11-15 00:00:00', states: '1' })
    fireEvent.click(screen.getByRole('radio', { name: '全部' }))
    expect(values).toEqual({})
  })

  it('of days has both ends, from the first second to the last', () => {
    const own = { startTime: '2026-11-01', endTime: '2026-11-03' }
    render(<Row first={own} />)
    expect(screen.getAllByLabelText('自定义创建时间').length).toBeGreaterThan(0)
    expect(queryOf(filters, own, NOW)).toEqual({ startTime: '2026-11-01 00:00:00', endTime: '2026-11-03 23:59:59' })
  })

  it('that makes no sense is none', () => {
    const times = filters[2] as Extract<Filter, { kind: 'times' }>
    expect(rangeOf(times, { startTime: '2026-11-03', endTime: '2026-11-01' })).toBe('all')
    expect(queryOf(filters, { startTime: 'yes', endTime: 'no' }, NOW)).toEqual({})
  })
})

describe('what a list is always asked for', () => {
  const list = { filters: [{ kind: 'several' as const, name: 'type', label: '类型', options: [] }], fixed: { type: 'noStop,noRide' } }
  it('is cut down by its filter and never left', () => {
    expect(askedOf(list, {}, NOW)).toEqual({ type: 'noStop,noRide' })
    expect(askedOf(list, { type: 'noRide' }, NOW)).toEqual({ type: 'noRide' })
    expect(askedOf(list, { type: 'parking' }, NOW)).toEqual({ type: 'noStop,noRide' })
    expect(askedOf(list, { type: 'parking,noStop', keyword: '桥' }, NOW)).toEqual({ type: 'noStop', keyword: '桥' })
  })
})

describe('saved filters', () => {
  const open = () => fireEvent.click(screen.getByRole('button', { name: /常用筛选/ }))

  it('are saved under a name, applied and deleted, also after a reload', () => {
    render(<Row first={{ states: '2' }} />)
    open()
    fireEvent.change(screen.getByLabelText('名称'), { target: { value: ' 乙类 ' } })
    fireEvent.click(screen.getByRole('button', { name: /保存/ }))
    cleanup()
    render(<Row />)
    open()
    fireEvent.click(screen.getByRole('button', { name: '乙类' }))
    expect(values).toEqual({ states: '2' })
    open()
    fireEvent.click(screen.getByRole('button', { name: '删除 乙类' }))
    expect(screen.queryByRole('button', { name: '乙类' })).toBeNull()
    expect(readSaved(localStorage.getItem('ebike_ops__list_filters_test'))).toEqual([])
  })

  it('under the same name take the place of the others, and there is an end to them', () => {
    const full = Array.from({ length: MOST_SAVED }, (_, index) => ({ name: String(index), values: {} }))
    expect(withSaved(full, '3', { a: '1' })?.[3]).toEqual({ name: '3', values: { a: '1' } })
    expect(withSaved(full, 'new', {})).toBeNull()
    expect(readSaved('[{"name":"x"},null,{"name":"y","values":{}}]')).toEqual([{ name: 'y', values: {} }])
    expect(readSaved('nonsense')).toEqual([])
  })
})

describe('an area says itself whose it is', () => {
  const byArea: Filter[] = [{ kind: 'area', agent: 'agentId', area: 'areaId', label: '服务区', choices: areaChoices(null) }]

  it('the route is asked for the area alone, or for the agent where no area is chosen', () => {
    expect(queryOf(byArea, { agentId: '7', areaId: '21', state: '1' }, NOW)).toEqual({ areaId: '21', state: '1' })
    expect(queryOf(byArea, { agentId: '7' }, NOW)).toEqual({ agentId: '7' })
  })
})
