import { describe, expect, it } from 'vitest'
import { type Chunk, closureOf, weigh } from './firstLoad'

const chunk = (fileName: string, imports: string[], made_for: string | null, size: number): Chunk => ({
  fileName,
  imports,
  facadeModuleId: made_for,
  code: 'x'.repeat(size),
})

const chunks = [
  chunk('start.js', ['react.js', 'shared.js'], '/web/index.html', 10),
  chunk('react.js', [], null, 100),
  // Two that need each other.
  chunk('shared.js', ['react.js', 'deeper.js'], null, 1000),
  chunk('deeper.js', ['shared.js'], null, 10_000),
  chunk('login.js', ['shared.js'], '/web/src/app/pages/LoginPage.tsx', 1),
  chunk('map.js', ['leaflet.js'], '/web/src/map/MapPage.tsx', 100_000),
  chunk('leaflet.js', [], null, 1_000_000),
]
const sizeOf = (code: string) => code.length

describe('the first load', () => {
  it('is all that a page cannot run without, each file once', () => {
    const files = closureOf(chunks, ['/index.html', 'pages/LoginPage.tsx']).map(({ fileName }) => fileName)
    expect(files.toSorted()).toEqual(['deeper.js', 'login.js', 'react.js', 'shared.js', 'start.js'])
  })

  it('is over its budget from the first byte on', () => {
    const modules = ['/index.html', 'pages/LoginPage.tsx']
    expect(weigh(chunks, { name: 'login', modules, most_bytes: 11_111 }, sizeOf)).toEqual({ bytes: 11_111, over: false })
    expect(weigh(chunks, { name: 'login', modules, most_bytes: 11_110 }, sizeOf)).toEqual({ bytes: 11_111, over: true })
  })

  it('cannot be weighed for a page that no chunk was made for', () => {
    expect(() => closureOf(chunks, ['pages/RenamedPage.tsx'])).toThrow('no chunk was made for pages/RenamedPage.tsx')
  })
})
