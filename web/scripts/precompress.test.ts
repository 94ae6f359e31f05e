import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { copies } from './precompress'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precompress-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('a file that shrinks lies there in both forms, and both are the file', async () => {
  const file = join(folder, 'a.js')
  const text = 'export const repeated = true\n'.repeat(200)
  await writeFile(file, text)
  await copies(file)
  expect(gunzipSync(await readFile(`${file}.gz`)).toString()).toBe(text)
  expect(brotliDecompressSync(await readFile(`${file}.br`)).toString()).toBe(text)
})

it('a small file has no copies', async () => {
  await writeFile(join(folder, 'b.js'), 'export {}')
  await copies(join(folder, 'b.js'))
  expect(await readdir(folder)).toEqual(['b.js'])
})
