/** Lays a gzip and a brotli copy beside every built file that shrinks, so that the server need not compress at each request. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(?:css|html|js|json|svg)$/
/** Smaller files fit into one packet anyway, bytes. */
const LEAST = 1024

/** Endings of the copies, and how each is made; as small as it gets, for it is done once. */
const forms: Readonly<Record<string, (plain: Buffer) => Promise<Buffer>>> = {
  gz: (plain) => promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION }),
  br: (plain) => promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
}

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
      await Promise.all(files.filter((file) => TEXT.test(file)).map((file) => copies(join(folder, file))))
    },
  }
}

/** Lays the copies of `file` beside it. */
export async function copies(file: string): Promise<void> {
  const plain = await readFile(file)
  if (plain.length < LEAST) return
  for (const [ending, pack] of Object.entries(forms)) {
    const packed = await pack(plain)
    if (packed.length < plain.length) await writeFile(`${file}.${ending}`, packed)
  }
}
