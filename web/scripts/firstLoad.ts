/** Holds the first load to a budget: the JavaScript that a page needs before it can be drawn, gzipped. */
import { constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** A built file of JavaScript, and what it imports. */
export interface Chunk {
  fileName: string
  /** Files that it cannot run without. */
  imports: readonly string[]
  /** The module that it was made for: a page, or the start of it all. */
  facadeModuleId: string | null
  code: string
}

/** What is loaded before something is seen, and how much it may be. */
export interface Budget {
  name: string
  /** Modules, by the end of their paths. */
  modules: readonly string[]
  most_bytes: number
}

/** The files that the chunks of `modules` cannot run without, themselves among them. */
export function closureOf(chunks: readonly Chunk[], modules: readonly string[]): Chunk[] {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set<Chunk>()
  const add = (chunk: Chunk | undefined) => {
    if (chunk === undefined || found.has(chunk)) return
    found.add(chunk)
    for (const file of chunk.imports) add(byFile.get(file))
  }
  for (const module of modules) {
    const own = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module))
    // A budget that names what is gone would hold nothing.
    if (own === undefined) throw new Error(`no chunk was made for ${module}`)
    add(own)
  }
  return [...found]
}

/** What `budget` comes to, and whether that is more than it may be. */
export function weigh(chunks: readonly Chunk[], budget: Budget, sizeOf: (code: string) => number): { bytes: number; over: boolean } {
  const bytes = closureOf(chunks, budget.modules).reduce((sum, { code }) => sum + sizeOf(code), 0)
  return { bytes, over: bytes > budget.most_bytes }
}

/** As the server sends it to a client that takes nothing better. */
function gzipped(code: string): number {
  return gzipSync(code, { level: constants.Z_BEST_COMPRESSION }).length
}

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

/** Fails a build whose first load is over one of `budgets`. */
export function firstLoad(budgets: readonly Budget[]): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    // Before anything is written, so that a build that is too heavy leaves none behind; after the last change of the code.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const over: string[] = []
        for (const budget of budgets) {
          const weighed = weigh(chunks, budget, gzipped)
          const line = `first load, ${budget.name}: ${kB(weighed.bytes)} of JavaScript gzipped, at most ${kB(budget.most_bytes)}`
          this.info(line)
          if (weighed.over) over.push(line)
        }
        if (over.length > 0) this.error(over.join('\n'))
      },
    },
  }
}
