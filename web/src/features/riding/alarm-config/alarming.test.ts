import { describe, expect, it } from 'vitest'
import { type AlarmRules, differencesOf } from '../charging-config/config'
import { alarmSayings, contentOf, groups, switches } from './alarming'

const usual: AlarmRules = {
  isOnAbnormalMovement: true, moveAlarmDistanceM: 50, moveAlarmCount: 1, moveAlarmTimeS: 0, isOnBatteryRemoval: true, isOfflineTicket: true,
  offlineTicketJudgeMin: 30, lowBatteryPercent: 20, enoughBatteryPercent: 25, areaBufferM: 20, outsideParkingMin: 30, unlockedS: 120, helmetMin: 2,
  noTripMin: 10, noTripDistanceM: 50, orderTooLongH: 6, shortOrderDurationS: 120, shortOrderCount: 3, escalateUrgentMin: 5, escalateImportantMin: 30,
}

describe('where alarms begin', () => {
  it('every field has a place in the form and words of its own', () => {
    const shown = [...switches.map(([key]) => key), ...groups.flatMap(({ numbers }) => numbers.map(([key]) => key))]
    expect(shown.toSorted()).toEqual(Object.keys(usual).toSorted())
    expect(new Set(alarmSayings.map(([label]) => label)).size).toBe(shown.length)
  })

  it('the default lies within what the form lets in', () => {
    const outside = groups.flatMap(({ numbers }) => numbers.filter(([key, , , min, max]) => usual[key] < min || usual[key] > max))
    expect(outside).toEqual([])
  })

  it('what changed is told with its unit', () => {
    const changed = { ...usual, lowBatteryPercent: 40, isOfflineTicket: false }
    expect(differencesOf(alarmSayings, usual, changed)).toEqual([
      { label: '异常离线报警', before: '开启', after: '关闭' },
      { label: '低电阈值', before: '20 %', after: '40 %' },
    ])
  })

  it('nothing is saved while a number is missing', () => {
    const { unlockedS, ...without } = usual
    expect(contentOf(without)).toBeNull()
    expect(contentOf({ ...without, unlockedS })).toEqual(usual)
  })
})
