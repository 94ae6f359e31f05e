import { describe, expect, it } from 'vitest'

import { pickOf, readPickText } from './pick'
import { pickWords } from './words'

const picked = (address: string) => pickOf(readPickText(new URLSearchParams(address)))

describe('what is picked on the map', () => {
  it('is nothing when the address says nothing', () => {
    expect(picked('')).toBeNull()
    expect(picked('f=rentable&carId=K1')).toBeNull()
  })

  it('takes several values of a kind, and kinds together', () => {
    expect(picked('area=17,18&ride=1&ops=4,5&alarm=2,6&soc=0-20&idle=24-&volt=0,12&why=offline,fault&lost=1')).toEqual({
      areas: ['17', '18'],
      riding: [1],
      operations: [4, 5],
      alarms: [2, 6],
      soc_percent: [0, 20],
      idle_h: [24, null],
      voltage_schemes: ['0', '12'],
      reasons: ['offline', 'fault'],
      likely_lost: true,
    })
  })

  it('passes over what is no value of its kind', () => {
    expect(picked('area=north&ride=9&ops=x&alarm=1&soc=30-20&idle=6-6&volt=x&why=because&lost=yes')).toBeNull()
    expect(picked('soc=50-300')).toEqual({ soc_percent: [50, 100] })
  })

  it('is told in words, shortened where there are many', () => {
    const pick = picked('area=17&alarm=2,3,6&idle=48-&volt=0,12&why=offline')
    expect(pickWords(pick!, (id) => (id === '17' ? '西湖' : undefined), (id) => (id === '0' ? '未设置' : undefined)).map(({ text }) => text)).toEqual([
      '服务区：西湖',
      '告警：异常移动、出服务区 等 3 项',
      '闲置：48 小时以上',
      '电压方案：未设置、…',
      '不可租：设备离线',
    ])
  })
})
