import { expect, it } from 'vitest'
import { rangeOf, rangeText, sightText } from './sight'

it.each([
  ['04A100~04A199', { from: '04A100', to: '04A199' }],
  [' 04A100 ～ 04A199 ', { from: '04A100', to: '04A199' }],
  ['XM-01至XM-09', { from: 'XM-01', to: 'XM-09' }],
  ['04A100', { from: '04A100', to: '04A100' }],
])('%s is a range, and is written so again', (text, range) => {
  expect(rangeOf(text)).toEqual(range)
  expect(rangeOf(rangeText(range))).toEqual(range)
})

it.each(['', '~', '04A199~04A100', '04A1~04A10', '京A01', '04A100~'])('%s is none', (text) => {
  expect(rangeOf(text)).toBeUndefined()
})

it('says what a role shows in a few words', () => {
  expect(sightText({ carRanges: [], ridingStates: [], voltageSchemeIds: [] })).toBe('全部')
  expect(sightText({ carRanges: [{ from: 'A1', to: 'A9' }, { from: 'B1', to: 'B1' }], ridingStates: [5, 1], voltageSchemeIds: ['7', '8'] })).toBe('A1~A9、B1、待使用、运维中、2 个电压方案')
})
