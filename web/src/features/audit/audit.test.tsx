import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { ChangeTable, fateOf } from './ChangeTable'
import { logColumns } from './columns'
import { logQuery, queryNow, readFilters, wholeCategory } from './filters'
import type { Change, History, LogRow, Moment, Step } from './log'
import { exportLimits, instantOf, limitsOf, readRange, writeRange } from '@/kit/list/range'
import { moveOf, placeOf, positionAfter, readReplay, stepAt, stepBefore, writeReplay } from './replay'
import { readLogAddress, writeLogAddress } from './useLogAddress'
import { textOf } from '@/kit/list/cells'

afterEach(cleanup)

/** 2026-11-21 01:30:00 in Shanghai, still the day before in UTC. */
const NOW = Date.UTC(2026, 10, 20, 17, 30, 0)

describe('ranges of time', () => {
  it('quick ranges begin at midnight of the operation', () => {
    expect(limitsOf('today', NOW)).toEqual({ startTime: '2026-11-21 00:00:00' })
    expect(limitsOf('yesterday', NOW)).toEqual({ startTime: '2026-11-20 00:00:00', endTime: '2026-11-20 23:59:59' })
    expect(limitsOf('7d', NOW)).toEqual({ startTime: '2026-11-15 00:00:00' })
    expect(limitsOf('30d', NOW).startTime).toBe('2026-10-23 00:00:00')
    expect(limitsOf('all', NOW)).toEqual({})
  })

  it('a range in the address is read back, nonsense is the usual one', () => {
    const own = { start: '2026-11-01 00:00:00', end: '2026-11-02 12:00:00' }
    expect(readRange(writeRange(new URLSearchParams('range=today&act=x'), own), '7d')).toEqual(own)
    expect(readRange(writeRange(new URLSearchParams('startTime=x'), 'yesterday'), '7d')).toBe('yesterday')
    expect(readRange(new URLSearchParams('startTime=2026-11-02 00:00:00&endTime=2026-11-01 00:00:00'), '30d')).toBe('30d')
    expect(readRange(new URLSearchParams('range=century'), '7d')).toBe('7d')
  })

  it('an export covers 31 days at most', () => {
    expect(exportLimits('30d', NOW)).toEqual({ startTime: '2026-10-23 00:00:00', endTime: '2026-11-21 01:30:00' })
    expect(exportLimits({ start: '2026-10-01 00:00:00', end: '2026-11-01 00:00:00' }, NOW)).not.toHaveProperty('refusal')
    expect(exportLimits({ start: '2026-10-01 00:00:00', end: '2026-11-01 00:00:01' }, NOW)).toHaveProperty('refusal')
    expect(exportLimits('all', NOW)).toHaveProperty('refusal')
  })

  it('written instants are times of the operation', () => {
    expect(instantOf('2026-11-21 01:30:00')).toBe(NOW)
    expect(instantOf('2026-11-21')).toBeNull()
  })
})

describe('filters', () => {
  it('API-055 an act is asked for by its type, a whole category by its name', () => {
    expect(logQuery({ act: 'role.disabled', opManId: '7' }, {})).toEqual({ actorKind: '1', action: 'role.disabled', opManId: '7' })
    expect(logQuery({ act: wholeCategory('role') }, { startTime: 'a' })).toEqual({ actorKind: '1', category: 'role', startTime: 'a' })
    expect(queryNow({ target: '客服' }, 'today', NOW)).toEqual({ actorKind: '1', target: '客服', startTime: '2026-11-21 00:00:00' })
  })

  it('shows what people did until machines are asked for, too', () => {
    expect(logQuery({}, {})).toEqual({ actorKind: '1' })
    expect(logQuery({ actorKind: '2' }, {})).toEqual({ actorKind: '2' })
    expect(logQuery({ actorKind: 'all' }, {})).toEqual({})
  })

  it('the address keeps filters, page, line and replay', () => {
    const change = { filters: { opManId: '7', result: '2' }, range: 'today', page: 3, open: '812', replay: { category: 'role', id: '42', position: 812 } } as const
    const params = writeLogAddress(new URLSearchParams('target=old'), change)
    expect(readLogAddress(params, '7d')).toMatchObject(change)
    expect(readFilters(params)).not.toHaveProperty('target')
    expect(writeLogAddress(params, { open: null, replay: null, page: 1 }).has('open')).toBe(false)
    expect(readLogAddress(new URLSearchParams('open=../x&page=-1'), '7d')).toMatchObject({ open: null, page: 1, range: '7d' })
  })
})

const change = (over: Partial<Change>): Change => ({ field: 'name', label: '角色名称', before: 'a', after: 'b', beforeText: 'a', afterText: 'b', added: null, removed: null, ...over })

describe('the diff', () => {
  it('what came, went and changed is said in words, not by colour alone', () => {
    expect([fateOf(change({ before: null })), fateOf(change({ after: null })), fateOf(change({}))]).toEqual(['added', 'removed', 'changed'])
    render(
      <ChangeTable
        changes={[
          change({}),
          change({ field: 'remark', label: '备注', before: null, beforeText: '', afterText: '新备注' }),
          change({ field: 'codes', label: '权限', beforeText: '甲、乙', afterText: '乙、丙', added: ['丙'], removed: ['甲'] }),
        ]}
      />,
    )
    const rows = screen.getAllByRole('row').map((row) => row.textContent)
    expect(rows[1]).toBe('角色名称~ 修改ab')
    expect(rows[2]).toBe('备注+ 新增（无）新备注')
    expect(rows[4]).toContain('移除 1 项')
    expect(rows[4]).toContain('新增 1 项')
    expect(screen.getByText('甲、乙').tagName).toBe('DEL')
    expect(screen.getByText('乙、丙').tagName).toBe('INS')
  })

  it('a step without a change says so', () => {
    render(<ChangeTable changes={[]} />)
    expect(screen.getByText('这一步没有改变任何字段。')).toBeTruthy()
  })
})

const PAGE = 100

/** A thing with steps at times 10, 20, 30 …; `asked` counts the calls. */
function historyOf(count: number) {
  const all: Step[] = Array.from({ length: count }, (_, at) => ({
    position: 1000 + at,
    version: at + 1,
    time: (at + 1) * 10,
    actor: { kind: 1, id: '7', name: '王小明', phone: '' },
    action: 'role.changed',
    actionLabel: '修改角色',
    ip: '',
    traceId: '',
    changes: [],
  }))
  let asked = 0
  return {
    get asked() {
      return asked
    },
    fetchPage: (page: number): Promise<History> => {
      asked += 1
      const rows = all.toReversed().slice((page - 1) * PAGE, page * PAGE)
      return Promise.resolve({ category: 'role', categoryLabel: '角色', id: '42', name: '客服', count, rows })
    },
  }
}

describe('CQRS-024 the replay of a thing', () => {
  const moment = (index: number): Pick<Moment, 'previous' | 'following' | 'first' | 'last' | 'step'> => ({
    previous: index > 1 ? 1000 + index - 2 : null,
    following: index < 5 ? 1000 + index : null,
    first: 1000,
    last: 1004,
    step: { position: 1000 + index - 1 } as Step,
  })

  it('arrows step, Home and End go to the ends, other keys do nothing', () => {
    expect(['ArrowLeft', 'ArrowRight', 'Home', 'End', 'a'].map(moveOf)).toEqual(['previous', 'following', 'first', 'last', undefined])
    expect(positionAfter(moment(3), 'previous')).toBe(1001)
    expect(positionAfter(moment(3), 'following')).toBe(1003)
    expect(positionAfter(moment(1), 'previous')).toBeNull()
    expect(positionAfter(moment(1), 'first')).toBeNull()
    expect(positionAfter(moment(5), 'last')).toBeNull()
    expect(positionAfter(moment(2), 'last')).toBe(1004)
  })

  it('the slider finds any step, newest or oldest', async () => {
    expect(placeOf(250, 250, PAGE)).toEqual({ page: 1, row: 0 })
    expect(placeOf(1, 250, PAGE)).toEqual({ page: 3, row: 49 })
    const { fetchPage } = historyOf(250)
    for (const index of [1, 50, 150, 151, 250]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other reads best
      expect((await stepAt(fetchPage, index, 250, PAGE))?.version).toBe(index)
    }
  })

  it('the slider still finds its step when others were added meanwhile', async () => {
    const { fetchPage } = historyOf(260)
    expect((await stepAt(fetchPage, 150, 250, PAGE))?.version).toBe(150)
    expect((await stepAt(fetchPage, 155, 250, PAGE))?.version).toBe(155)
  })

  it('any past moment leads to the step before it, in few calls', async () => {
    for (const [time, version] of [
      [9, undefined],
      [10, 1],
      [1234, 123],
      [2500, 250],
      [99_999, 250],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other reads best
      expect((await stepBefore(historyOf(250).fetchPage, time, PAGE))?.version).toBe(version)
    }
    const long = historyOf(20_000)
    expect((await stepBefore(long.fetchPage, 100_000, PAGE))?.version).toBe(10_000)
    expect(long.asked).toBeLessThan(12)
  })

  it('a link names the thing and the step', () => {
    expect(readReplay(writeReplay({ category: 'role', id: '42', position: 812 }))).toEqual({ category: 'role', id: '42', position: 812 })
    for (const text of [null, '', 'role/42', 'role/42/x', '/42/1']) expect(readReplay(text)).toBeNull()
  })
})

describe('the list', () => {
  it('exported columns hold text for every row, masked as the server sent it', () => {
    const row: LogRow = {
      position: 812, time: NOW, opManId: '7', actorKind: 1, name: '王小明', phone: '138****5678', action: 'role.disabled', actionLabel: '停用角色',
      category: 'role', categoryLabel: '角色', targetId: '42', targetName: '客服', target: '角色 客服', agentId: null, areaId: null, ip: '10.0.0.1',
      traceId: 't', requestId: 'r', result: 1, resultLabel: '成功', detail: '状态：启用 → 停用',
    }
    const texts = logColumns.filter(({ optional }) => !optional).map((column) => textOf(column, row))
    expect(texts).toEqual(['2026-11-21 01:30:00', '王小明 138****5678', '停用角色', '角色 客服', '成功', '状态：启用 → 停用', '10.0.0.1'])
  })
})
