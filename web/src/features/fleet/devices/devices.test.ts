import { describe, expect, it } from 'vitest'
import { versionShares } from './devices'

const version = (firmware: string, count: number) => ({ model: 'WH-EC20', firmware, count })

describe('the spread of versions', () => {
  it('names the most frequent, puts the rest together, and tells of those that never said', () => {
    const versions = ['9', '8', '7', '6', '5', '4', '3', '2'].map((firmware, index) => version(firmware, 80 - index))
    const shares = versionShares({ versions, otherVersions: 5, untold: 3 })
    expect(shares.map(({ label }) => label).slice(-3)).toEqual(['WH-EC20 4', '其他版本', '未上报'])
    expect(shares.at(-2)).toMatchObject({ count: 74 + 73 + 5, filter: null })
    expect(shares[0]?.filter).toEqual({ model: 'WH-EC20', firmware: '9' })
    expect(shares.at(-1)?.filter).toEqual({ introduced: 'false' })
  })

  it('is nothing of nothing', () => {
    expect(versionShares({ versions: [], otherVersions: 0, untold: 0 })).toEqual([])
  })
})
