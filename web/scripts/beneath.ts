/** Which files of JavaScript the built modules go into: what is always wanted together is asked for together. */

/** The modules as the bundler knows them. */
export interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/** Whether a module is one of ours, below the folder `own`, without which `root` cannot run; `root` itself stays the file that is asked for. */
export function beneath(root: string, own: string): (id: string, graph: Graph) => boolean {
  let found: Set<string> | undefined
  return (id, graph) => {
    found ??= reached(root, own, graph)
    return id !== root && found.has(id)
  }
}

function reached(root: string, own: string, graph: Graph): Set<string> {
  const found = new Set<string>()
  const rest = [root]
  for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
    // What a package imports of itself is no guide: its first file names all others.
    if (found.has(id) || !id.startsWith(own)) continue
    found.add(id)
    rest.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
  }
  return found
}
