import { describe, expect, it } from 'vitest'
import { lifeGroupLabels } from '@/api/generated/labels'
import { queryOf } from '@/kit/list/times'
import { actorText, changesText, eventOptions, eventTag, traceAddress, vehicleLog } from './vehicleLog'

describe('the log of a bike', () => {
  it('every event stands under its group, and each group has a colour of its own', () => {
    const groups = Object.values(lifeGroupLabels)
    expect(new Set(eventOptions.map(({ group }) => group))).toEqual(new Set(groups))
    expect(eventOptions.find(({ value }) => value === '602')).toEqual({ value: '602', label: '请求开锁', group: '订单' })
    const colors = Object.keys(lifeGroupLabels).map((group) => eventTag({ event: 101, group: Number(group) as 1 }).color)
    expect(new Set(colors).size).toBe(groups.length)
  })

  it('what changed is told from before to after, and nothing is 无', () => {
    const changes = [
      { field: '订单状态', from: '开锁中', to: '骑行中' },
      { field: '告警', from: '', to: '出服务区' },
    ]
    expect(changesText(changes)).toBe('订单状态：开锁中 → 骑行中；告警：无 → 出服务区')
    expect(changesText([])).toBe('')
  })

  it('who acted is told by what he is, and by name where he has one', () => {
    expect(actorText({ actorKind: 1, actorName: '138****8888' })).toBe('用户 · 138****8888')
    expect(actorText({ actorKind: 4, actorName: null })).toBe('系统')
  })

  it('a trace is looked for on the days about its event, midnight included', () => {
    const at = Date.UTC(2026, 10, 24, 15, 30) // 23:30 in Shanghai
    expect(traceAddress({ traceId: 'a b', at })).toBe('/operation/vehicle-log?traceId=a+b&startTime=2026-11-24&endTime=2026-11-25')
    const [, query] = traceAddress({ traceId: 'a', at }).split('?')
    expect(queryOf(vehicleLog.filters, Object.fromEntries(new URLSearchParams(query)), at)).toEqual({
      traceId: 'a',
      startTime: '2026-11-24 00:00:00',
      endTime: '2026-11-25 23:59:59',
    })
  })

  it('an address without a time asks for the last seven days', () => {
    const at = Date.UTC(2026, 10, 24, 4, 0)
    expect(queryOf(vehicleLog.filters, {}, at)).toEqual({ startTime: '2026-11-18 00:00:00' })
  })
})
