import { beforeEach, describe, expect, it } from 'vitest'
import { dropDraft, readDraft, writeDraft } from './draft'
import { bare, formatMoney, formatTime, parseMoney } from './format'
import { readAddress, writeAddress } from './list/address'
import { csvField, toCsv } from './list/csv'
import type { Column, Filter } from './list/description'
import { readSettings } from './list/settings'
import { letsThrough, THROTTLE_MS } from './throttle'

const filters: Filter[] = [
  { kind: 'text', name: 'keyword', label: '关键词' },
  { kind: 'select', name: 'state', label: '状态', options: [] },
]
const columns: Column<{ name: string }>[] = [
  { key: 'name', title: '名称', text: (row) => row.name },
  { key: 'id', title: '编号', text: () => '7', optional: true },
]

describe('throttle', () => {
  it('VAL-016 a click within 1000 ms of the last is ignored', () => {
    expect(THROTTLE_MS).toBe(1000)
    expect(letsThrough(0, 900)).toBe(false)
    expect(letsThrough(0, 1100)).toBe(true)
    expect(letsThrough(0, 300, 200)).toBe(true)
    expect(letsThrough(Number.NEGATIVE_INFINITY, 0)).toBe(true)
  })
})

describe('how values read', () => {
  it('AMB-066 cents read as yuan, only null is empty', () => {
    expect(formatMoney(0)).toBe('0.00')
    expect(formatMoney(5)).toBe('0.05')
    expect(formatMoney(123_456_789)).toBe('1,234,567.89')
    expect(formatMoney('-9007199254740993')).toBe('-90,071,992,547,409.93')
    expect(formatMoney(null)).toBe('--')
  })

  it('a number ends in no noughts of its precision, but in those that are being typed', () => {
    const shown = (value: string | number | undefined) => bare(value, { userTyping: false, input: '' })
    expect(['15.00', '2.50', '10', 100, 0.5, '0.00', undefined].map(shown)).toEqual(['15', '2.5', '10', '100', '0.5', '0', ''])
    expect(bare('15', { userTyping: true, input: '15.0' })).toBe('15.0')
  })

  it('AMB-066 yuan take two decimals at most', () => {
    expect(parseMoney('12.3')).toBe(1230n)
    expect(parseMoney('0.07')).toBe(7n)
    expect(parseMoney('1.234')).toBeNull()
    expect(parseMoney('-1')).toBeNull()
  })

  it('AMB-067 times read in Asia/Shanghai', () => {
    expect(formatTime(Date.UTC(2026, 0, 1, 16, 0, 5))).toBe('2026-01-02 00:00:05')
    expect(formatTime(null)).toBe('-- --')
  })
})

describe('the address of a list', () => {
  it('remembers filters, page and the open row', () => {
    const address = { filters: { keyword: '运维', state: '1' }, page: 3, pageSize: 50, sort: '-createdAt', open: '9' }
    expect(readAddress(writeAddress(address), filters, ['createdAt'])).toEqual(address)
  })

  it('leaves out what is usual', () => {
    expect(writeAddress({ filters: { keyword: '' }, page: 1, pageSize: 20, sort: null, open: null }).toString()).toBe('')
  })

  it('does not believe nonsense', () => {
    const params = new URLSearchParams('page=-2&pageSize=7&other=1&sort=secret')
    expect(readAddress(params, filters, ['createdAt'])).toEqual({ filters: {}, page: 1, pageSize: 20, sort: null, open: null })
  })
})

describe('export', () => {
  it('quotes what has to be quoted', () => {
    expect(csvField('a,"b"')).toBe('"a,""b"""')
  })

  it('text does not become a formula, numbers stay numbers', () => {
    expect(csvField('=1+1')).toBe("'=1+1")
    expect(csvField('@x')).toBe("'@x")
    expect(csvField('-12.50')).toBe('-12.50')
  })

  it('has a head and says that it is UTF-8', () => {
    expect(toCsv(columns, [{ name: '甲' }])).toBe('\uFEFF名称,编号\r\n甲,7\r\n')
  })
})

describe('settings of a list', () => {
  it('optional columns do not show until chosen', () => {
    expect(readSettings(null, columns)).toEqual({ density: 'middle', shown: ['name'] })
  })

  it('columns that no longer exist are forgotten', () => {
    const stored = JSON.stringify({ density: 'small', shown: ['gone', 'id'] })
    expect(readSettings(stored, columns)).toEqual({ density: 'small', shown: ['id'] })
  })
})

describe('drafts', () => {
  beforeEach(() => sessionStorage.clear())
  it('stay until they are dropped', () => {
    writeDraft('role_new', { name: '甲' })
    expect(readDraft('role_new')).toEqual({ name: '甲' })
    expect(readDraft('role_2')).toBeNull()
    dropDraft('role_new')
    expect(readDraft('role_new')).toBeNull()
  })
})
