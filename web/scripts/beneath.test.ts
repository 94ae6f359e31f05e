import { expect, test } from 'vitest'
import { beneath, type Graph } from './beneath'

const imports: Record<string, readonly string[]> = {
  '/src/Frame.tsx': ['/src/Header.tsx', '/packages/antd/index.js'],
  '/src/Header.tsx': ['/src/badge.ts', '/src/Frame.tsx'],
  '/src/badge.ts': [],
  '/src/Page.tsx': ['/src/badge.ts'],
  '/packages/antd/index.js': ['/packages/antd/table.js'],
}
const graph: Graph = { getModuleInfo: (id) => (imports[id] ? { importedIds: imports[id] } : null) }

test('what a module of ours imports lies beneath it, and so on, round in circles too', () => {
  const ofFrame = beneath('/src/Frame.tsx', '/src/')
  const found = Object.keys(imports).filter((id) => ofFrame(id, graph))
  expect(found).toEqual(['/src/Header.tsx', '/src/badge.ts'])
})

test('a root that is not there has nothing beneath it', () => {
  expect(beneath('/src/Gone.tsx', '/src/')('/src/badge.ts', graph)).toBe(false)
})
