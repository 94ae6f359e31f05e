import { describe, expect, it } from 'vitest'

import { countRows } from './counts'

const names = [
  { value: '1', label: '西湖' },
  { value: '2', label: '滨江' },
]
const area = (areaId: string, shelved: number) => ({ areaId, shelved, rentable: 5, online: 6, states: [5, 2, 0, 0, 0, 1, 0, 3, 0] })

describe('counts by area', () => {
  it('begin with the most bikes and end with the sum', () => {
    expect(countRows([area('1', 7), area('2', 9)], names, []).map(({ name, counts }) => [name, ...counts])).toEqual([
      ['滨江', 9, 5, 2, 1, 3],
      ['西湖', 7, 5, 2, 1, 3],
      ['合计', 16, 10, 4, 2, 6],
    ])
  })

  it('are those of the areas that are looked at, and one needs no sum', () => {
    expect(countRows([area('1', 7), area('2', 9)], names, ['1']).map(({ name }) => name)).toEqual(['西湖'])
    expect(countRows([], names, [])).toEqual([])
  })
})
