import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const made = (document: string) => execFileSync('node', ['scripts/labels.mjs', document], { encoding: 'utf8' })

it('the labels are those of the document; `npm run api` makes them so', () => {
  expect(made('../openapi.json')).toBe(readFileSync('src/api/generated/labels.ts', 'utf8'))
})

it('each value has its label, by number or by word', () => {
  const folder = mkdtempSync(join(tmpdir(), 'labels-'))
  try {
    const document = join(folder, 'openapi.json')
    const schemas = {
      Ripeness: { description: '成熟度', enum: [0, -1], 'x-enum-labels': ['未熟', "'坏'"] },
      Kind: { enum: ['a', 'b'] },
    }
    writeFileSync(document, JSON.stringify({ components: { schemas } }))
    const text = made(document)
    expect(text).toContain(`/** 成熟度 */
export const ripenessLabels = {
  0: '未熟',
  '-1': '\\'坏\\'',
} as const satisfies Record<Schemas['Ripeness'], string>
`)
    expect(text).not.toContain('kindLabels')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
