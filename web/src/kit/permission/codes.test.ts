import { describe, expect, it } from 'vitest'
import { type Branch, closeUpwards, difference, flatten, inOrder, marks, refusalOf, search, toggle } from './codes'

const tree: Branch[] = [
  {
    code: '10',
    title: '权限管理',
    kind: 1,
    children: [
      { code: '1001', title: '角色列表', kind: 2, children: [{ code: '1001_edit', title: '编辑角色', kind: 3 }] },
      { code: '1002', title: '人员列表', kind: 2, levelMask: 1 },
    ],
  },
  { code: '0221', title: '运营大屏', kind: 2, checked: false },
]
const [group, screen] = tree as [Branch, Branch]
const MAINTENANCE = 4

function branch(code: string): Branch {
  const found = flatten(tree).find((one) => one.code === code)
  if (!found) throw new Error(code)
  return found
}

describe('the permission tree', () => {
  it('choosing a group chooses what lies below it and may be given', () => {
    expect(toggle(tree, [], group, true, 1)).toEqual(['10', '1001', '1001_edit', '1002'])
    expect(toggle(tree, [], group, true, MAINTENANCE)).toEqual(['10', '1001', '1001_edit'])
  })

  it('choosing a page chooses the group above it', () => {
    expect(toggle(tree, [], branch('1002'), true, 1)).toEqual(['10', '1002'])
  })

  it('a page may be held without its actions', () => {
    const chosen = toggle(tree, ['10', '1001', '1001_edit'], branch('1001_edit'), false, 1)
    expect(chosen).toEqual(['10', '1001'])
    expect(marks(tree, chosen)).toEqual({ checked: [], halfChecked: ['10', '1001'] })
  })

  it('dropping a group keeps what one cannot give, and the way to it', () => {
    const all = ['10', '1001', '1001_edit', '1002']
    expect(toggle(tree, all, group, false, MAINTENANCE)).toEqual(['10', '1002'])
    expect(toggle(tree, all, group, false, 1)).toEqual([])
  })

  it('what one does not hold, and what the tier must not hold, cannot be given', () => {
    expect(refusalOf(screen, 1)).toContain('没有此权限')
    expect(refusalOf(branch('1002'), MAINTENANCE)).toContain('级别')
    expect(refusalOf(branch('1001'), MAINTENANCE)).toBeNull()
  })

  it('search keeps the way to what it finds', () => {
    expect(flatten(search(tree, '人员')).map((one) => one.code)).toEqual(['10', '1002'])
    expect(flatten(search(tree, '权限管理'))).toHaveLength(4)
    expect(search(tree, '没有')).toEqual([])
    expect(search(tree, '')).toEqual(tree)
  })

  it('groups are added above, unknown codes stay at the end', () => {
    expect([...closeUpwards(tree, new Set(['1001_edit']))].toSorted()).toEqual(['10', '1001', '1001_edit'])
    expect(inOrder(tree, new Set(['old', '1002', '10']))).toEqual(['10', '1002', 'old'])
  })

  it('the difference says what comes and what goes', () => {
    expect(difference(['a', 'b'], ['b', 'c'])).toEqual({ added: ['c'], removed: ['a'] })
  })
})
