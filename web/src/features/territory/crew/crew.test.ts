import { describe, expect, it } from 'vitest'
import { called, type CrewMember, names, optionOf, posts, slaText, unable } from './crew'
import { crewList } from './description'

const member = (id: string, name: string, state = 1): CrewMember => ({ id, name, phone: `138****000${id}`, profession: null, state })
const [fang, qiang, gone] = [member('1', '王芳'), member('2', '李强', 0), { ...member('3', '已删除', 0), phone: '' }]

describe('the people of an area', () => {
  it('are called by name, and who cannot work any more is called so', () => {
    expect(names([fang, qiang])).toBe('王芳、李强（已停用）')
    expect(called(gone)).toBe('已删除（已停用）')
    expect(optionOf(fang)).toEqual({ value: '1', label: '王芳 138****0001' })
    expect(optionOf(gone)).toEqual({ value: '3', label: '已删除（已停用）' })
  })

  it('who cannot work is told once, whatever he does there', () => {
    const nobody = { leaders: [], checkers: [], maintainers: [], changePowerPersons: [], moveCarPersons: [] }
    expect(unable(nobody)).toEqual([])
    expect(unable({ ...nobody, leaders: [fang, qiang], moveCarPersons: [qiang, gone] })).toEqual([qiang, gone])
  })

  it('have their time to do what is due', () => {
    expect(slaText({ swapSlaH: 4, moveSlaH: 8, repairSlaH: 48 })).toBe('换电 4 · 挪车 8 · 维修 48 小时')
    expect(slaText(null)).toBeNull()
  })
})

it('ROUTE-032 the list has a column for each kind of people', () => {
  const { columns, filters } = crewList([], 0)
  const keys = columns.map(({ key }) => key)
  for (const { key } of posts) expect(keys).toContain(key)
  expect(columns.filter(({ key }) => key !== 'leaders').filter(({ key }) => posts.some((post) => post.key === key)).map(({ title }) => title)).toEqual(['巡检', '维修', '换电', '挪车'])
  expect(filters.map((filter) => 'name' in filter && filter.name)).toEqual(['keyword', 'opAreaId', 'personId'])
})
