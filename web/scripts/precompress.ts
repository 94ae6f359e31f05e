/** Lays a gzip copy beside every built file that shrinks, so that the server need not compress at each request. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const compress = promisify(gzip)
const TEXT = /\.(?:css|html|js|json|svg)$/
/** Smaller files fit into one packet anyway, bytes. */
const LEAST = 1024

export function precompress(): Plugin {
  let folder = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir)
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true })
      await Promise.all(files.filter((file) => TEXT.test(file)).map((file) => copy(join(folder, file))))
    },
  }
}

async function copy(file: string): Promise<void> {
  const plain = await readFile(file)
  if (plain.length < LEAST) return
  const packed = await compress(plain, { level: constants.Z_BEST_COMPRESSION })
  if (packed.length < plain.length) await writeFile(`${file}.gz`, packed)
}
