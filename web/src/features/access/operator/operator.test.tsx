import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readAddress, writeAddress } from '@/kit/list/address'
import { tiers } from '../role/role'
import { areasWithin, changesOf, type Names } from './changes'
import { operatorList, reachText } from './description'
import { LevelPicker } from './LevelPicker'
import { levelOf, levelText, tiersOf } from './levels'
import { maskPhone, type Operator, type OperatorValues } from './operator'
import { valuesOf } from './OperatorForm'
import { professions } from './profession'
import { called, stateConsequence } from './useOperatorCommands'
import { textOf } from '@/kit/list/cells'
import { namesOf } from '@/kit/list/description'

afterEach(cleanup)

const person: Operator = {
  objectId: '7',
  phone: '13812345678',
  name: '王小明',
  level: 3,
  profession: 4,
  levelNames: ['管理员', '运营'],
  roleIds: ['1'],
  roleNames: ['客服'],
  agentIds: ['20', '21'],
  opAreaIds: [],
  isRoot: false, csToolRegistered: false,
  state: 1,
  createdAt: 0,
  lastLoginAt: null,
  version: 4,
}

function picked(label: string): string {
  return screen.getByRole<HTMLInputElement>('checkbox', { name: new RegExp(label) }).value
}

describe('the level picker', () => {
  const values: [string, string, string][] = [
    ['PERM-001', '管理员', '1'],
    ['PERM-002', '运营', '2'],
    ['PERM-003', '运维', '4'],
    ['PERM-004', '生产', '8'],
  ]
  it.each(values)('%s the tier %s has the value %s', (_, label, value) => {
    render(<LevelPicker value={0} />)
    expect(picked(label)).toBe(value)
  })

  it('CONST-017 PERM-001 PERM-002 PERM-003 PERM-004 the levels are 1, 2, 4 and 8', () => {
    render(<LevelPicker value={0} />)
    const boxes = screen.getAllByRole<HTMLInputElement>('checkbox')
    expect(boxes.map((box) => box.value)).toEqual(['1', '2', '4', '8'])
    expect(tiers.map(({ value }) => value)).toEqual([1, 2, 4, 8])
  })

  it('PERM-005 franchisees are no fifth level', () => {
    render(<LevelPicker value={15} />)
    expect(screen.getAllByRole('checkbox')).toHaveLength(4)
    expect(levelText(16)).toBe('--')
  })

  it('tiers add up to a bit set', () => {
    const change = vi.fn<(level: number) => void>()
    render(<LevelPicker value={1} onChange={change} />)
    fireEvent.click(screen.getByRole('checkbox', { name: /生产/ }))
    expect(change).toHaveBeenLastCalledWith(9)
    expect(tiersOf(9)).toEqual([1, 8])
    expect(levelOf([8, 1])).toBe(9)
    expect(levelText(6)).toBe('运营、运维')
  })
})

describe('how a person reads', () => {
  it('the phone is masked in the cell and in the exported text', () => {
    expect(maskPhone('13812345678')).toBe('138****5678')
    expect(maskPhone('--')).toBe('--')
    const phone = operatorList([]).columns.find(({ key }) => key === 'phone')
    expect(phone && textOf(phone, person)).toBe('138****5678')
    expect(called(person)).toBe('王小明 138****5678')
  })

  it('no agent and no area named means all of them', () => {
    expect(reachText(person)).toBe('2 个代理商 · 全部服务区')
    expect(reachText({ ...person, isRoot: true })).toBe('全部')
  })

  it('the list is filtered by agent and area too, by area alone for those who may not list agents, and the address remembers it', () => {
    const { filters } = operatorList([], true)
    expect(filters.flatMap(namesOf)).toEqual(['keyword', 'state', 'agentId', 'opAreaId', 'roleId', 'level', 'profession'])
    const labels = [true, false].map((may) => operatorList([], may).filters.find(({ kind }) => kind === 'area')?.label)
    expect(labels).toEqual(['代理商 / 服务区', '服务区'])
    const address = readAddress(new URLSearchParams('agentId=20&opAreaId=300&profession=4'), filters)
    expect(address.filters).toEqual({ agentId: '20', opAreaId: '300', profession: '4' })
    expect(writeAddress(address).get('opAreaId')).toBe('300')
  })

  it('a profession reads as it is called in the field, also in the exported text', () => {
    expect(professions.map(({ label }) => label)).toEqual(['换电员', '挪车员', '维修员', '巡检员', '负责人'])
    const column = operatorList([]).columns.find(({ key }) => key === 'profession')
    expect([person, { ...person, profession: null }].map((row) => column && textOf(column, row))).toEqual(['巡检员', '--'])
  })

  it('switching off says that sessions and sockets end at once', () => {
    expect(stateConsequence(false)).toMatch(/会话马上结束.*实时连接断开/)
    expect(stateConsequence(true)).not.toContain('马上')
  })
})

describe('what the form sends', () => {
  const fields = { name: '王小明', level: 3, profession: 2, roleIds: ['1'], agentIds: ['20'], opAreaIds: ['300'], allAgents: false, allAreas: false }

  it('all is an empty list, and nothing of what was chosen before', () => {
    expect(valuesOf(fields)).toEqual({ name: '王小明', level: 3, profession: 2, roleIds: ['1'], agentIds: ['20'], opAreaIds: ['300'] })
    expect(valuesOf({ ...fields, profession: undefined }).profession).toBeNull()
    expect(valuesOf({ ...fields, allAgents: true, allAreas: true })).toMatchObject({ agentIds: [], opAreaIds: [] })
  })

  it('areas go with the agent that they belong to', () => {
    const known = [
      { id: '300', agentId: '20' },
      { id: '310', agentId: '21' },
    ]
    expect(areasWithin(['300', '310'], ['21'], known)).toEqual(['310'])
    expect(areasWithin(['300', '310'], [], known)).toEqual(['300', '310'])
    expect(areasWithin(['999'], ['21'], known)).toEqual(['999'])
  })

  it('a change is told field by field, by name', () => {
    const before: OperatorValues = { name: '王小明', level: 2, profession: null, roleIds: ['1'], agentIds: ['20'], opAreaIds: [] }
    const names: Names = { roles: new Map([['1', '客服']]), agents: new Map([['20', '湖滨公司']]), areas: new Map() }
    expect(changesOf(before, { ...before, roleIds: ['1'] }, names)).toEqual([])
    expect(changesOf(before, { ...before, level: 3, roleIds: [], agentIds: [] }, names)).toEqual([
      { label: '级别', before: '运营', after: '管理员、运营' },
      { label: '角色', before: '客服', after: '无角色' },
      { label: '代理商', before: '湖滨公司', after: '全部代理商' },
    ])
    expect(changesOf(before, { ...before, profession: 1 }, names)).toEqual([{ label: '工种', before: '--', after: '换电员' }])
  })
})
