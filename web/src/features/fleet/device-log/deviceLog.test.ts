import { describe, expect, it } from 'vitest'
import { talkKindLabels } from '@/api/generated/labels'
import { queryOf } from '@/kit/list/times'
import { answeredText, deviceLog, flagsText, lifeAddress, stateText, talkTag } from './deviceLog'

describe('the log of a device', () => {
  it('each kind of lines has a name and a colour of its own', () => {
    const tags = Object.keys(talkKindLabels).map((kind) => talkTag({ kind: Number(kind) as 1 }))
    expect(tags.map(({ label }) => label)).toEqual(['指令', '上下线', '定位上报', '状态上报'])
    expect(new Set(tags.map(({ color }) => color)).size).toBe(4)
  })

  it('an answer behind its time says so', () => {
    expect(stateText({ state: 2, late: false })).toBe('成功')
    expect(stateText({ state: 4, late: true })).toBe('超时（迟到）')
    expect(stateText(null)).toBe('')
  })

  it('tells how long an answer took, and nothing without one', () => {
    expect(answeredText({ requestedAt: 1_000, ackAt: 2_250 })).toBe('1.25 秒')
    expect(answeredText({ requestedAt: 1_000, ackAt: null })).toBe('')
  })

  it('what is so is told in words', () => {
    expect(flagsText({ flags: [0, 3] })).toBe('车锁已关、电池在位')
    expect(flagsText({ flags: [] })).toBe('')
  })

  it('leads to the life of the bike on that day', () => {
    const at = Date.UTC(2026, 10, 24, 17, 0) // 01:00 of the next day in Shanghai
    expect(lifeAddress({ carId: 'B 1', at })).toBe('/operation/vehicle-log?carId=B+1&startTime=2026-11-25&endTime=2026-11-25')
    expect(queryOf(deviceLog.filters, { carId: 'B1' }, at)).toEqual({ carId: 'B1', startTime: '2026-11-19 00:00:00' })
  })
})
