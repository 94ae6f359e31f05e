import { describe, expect, it } from 'vitest'
import { undoneCsv } from '@/kit/list/useBatch'
import { acts, keepBody, tagFault } from './acts'
import { batchActionsOf } from './useKeep'

const bikes = (count: number) => Array.from({ length: count }, (_, index) => ({ carId: `A${index}` }))

describe('acts on bikes', () => {
  it('are each named once, and what hurts asks for a reason', () => {
    expect(new Set(acts.map(({ key }) => key)).size).toBe(acts.length)
    const reasoned = acts.filter(({ reason }) => reason).map(({ label }) => label)
    expect(reasoned).toEqual(['下架', '报失', '调往其他服务区', '返厂维修', '解绑中控', '报废'])
  })

  it('scrapping needs the code of the office', () => {
    expect(acts.filter(({ code }) => code === '1103').map(({ label }) => label)).toEqual(['报废'])
  })

  it('a device goes onto one bike, and nothing happens to more than five thousand', () => {
    const ran: string[] = []
    const actions = batchActionsOf((act, rows) => ran.push(`${act.label} ${rows.length}`))
    const bind = actions.find(({ label }) => label === '绑定中控')
    expect(bind?.unavailable?.(bikes(2))).toBe('一次只能对一辆车操作')
    expect(bind?.unavailable?.(bikes(1))).toBeUndefined()
    const shelve = actions.find(({ label }) => label === '上架')
    expect(shelve?.unavailable?.(bikes(5001))).toBe('一次最多 5000 辆')
    shelve?.onRun(bikes(3), () => undefined)
    expect(ran).toEqual(['上架 3'])
  })

  it('what is not said is sent as nothing', () => {
    expect(keepBody(['A1'], 2, '检修', {})).toEqual({ carIds: ['A1'], act: 2, reason: '检修', areaId: null, addTags: [], removeTags: [], imei: null, voltageSchemeId: null })
    expect(keepBody(['A1'], 12, '', { voltageSchemeId: '7' }).voltageSchemeId).toBe('7')
    expect(keepBody(['A1'], 9, '', { addTags: ['校园'] }).addTags).toEqual(['校园'])
  })

  it('a tag is short and holds no comma', () => {
    expect(tagFault(['校园', '重点保障'])).toBeNull()
    for (const wrong of ['', '一二三四五六七八九十一二三', 'a，b']) expect(tagFault([wrong])).toContain('12 个字')
  })

  it('what was not done is a file with why, and formulas stay text', () => {
    const file = undoneCsv(['A1', '=A2', 'A3'], [{ kind: 'done' }, { kind: 'refused', why: '车辆在库，不能下架' }, { kind: 'unsent' }])
    expect(file.trim().split('\r\n').slice(1)).toEqual(["'=A2,未能处理,车辆在库，不能下架", 'A3,没有提交,'])
  })
})
