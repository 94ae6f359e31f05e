import { describe, expect, it } from 'vitest'
import { ADDRESS, fitting, MD5, PLAIN, sizeText } from './firmware'

const packages = [
  { id: '1', model: 'WH-EC20', firmware: '1.3.0' },
  { id: '2', model: 'WH-EC20', firmware: '1.2.0' },
  { id: '3', model: 'WH-EC10', firmware: '2.2.0' },
]

describe('packages of firmware', () => {
  it('are offered to bikes of their model that do not run them yet', () => {
    const bikes = [
      { model: 'WH-EC20', firmware: '1.2.0' },
      { model: 'WH-EC20', firmware: '1.0.3' },
      { model: null, firmware: null },
    ]
    expect(fitting(packages, bikes).map((it) => [it.package.id, it.bikes])).toEqual([['1', 2], ['2', 1]])
    expect(fitting(packages, [])).toEqual([])
    expect(fitting(packages, [...bikes, {}]).map((it) => it.bikes)).toEqual([null, null, null])
  })

  it('tell their size in few digits', () => {
    expect([812, 524_288, 1_572_864].map(sizeText)).toEqual(['812 B', '512 KB', '1.5 MB'])
  })

  it('have plain names, an address and an MD5', () => {
    for (const good of ['WH-EC20', '1.2.0+rc_1']) expect(PLAIN.test(good)).toBe(true)
    for (const wrong of ['', '型号', 'a b', 'a'.repeat(33)]) expect(PLAIN.test(wrong)).toBe(false)
    for (const good of ['https://a.example/b.bin', 'http://10.0.0.1:8080/f?v=1']) expect(ADDRESS.test(good)).toBe(true)
    for (const wrong of ['ftp://a/b', 'https://', 'https://a b', 'https://固件']) expect(ADDRESS.test(wrong)).toBe(false)
    expect(MD5.test('0123456789abcdef0123456789ABCDEF')).toBe(true)
    expect(MD5.test('0123456789abcdef')).toBe(false)
  })
})
