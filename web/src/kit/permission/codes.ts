/** The permission tree of the role editor: which codes are chosen, and what changes. Pure. */

export interface Branch {
  code: string
  title: string
  /** 1 group, 2 page, 3 action. */
  kind: number
  /** Tiers whose roles may hold it, bit-or of 1, 2, 4 and 8; absent means all. */
  levelMask?: number
  /** Whether the operator holds it himself; absent means yes. */
  checked?: boolean | null
  children?: readonly Branch[]
}

const ALL_TIERS = 15

/** All branches, parents before children. */
export function flatten(tree: readonly Branch[]): Branch[] {
  return tree.flatMap((branch) => [branch, ...flatten(branch.children ?? [])])
}

/** Why `branch` cannot be given to a role of `tier`; null when it can. */
export function refusalOf(branch: Branch, tier: number): string | null {
  if (branch.checked === false) return '您没有此权限，不能授予'
  if (((branch.levelMask ?? ALL_TIERS) & tier) === 0) return '此级别的角色不能拥有'
  return null
}

/** `codes` and every group above them: a page whose group is missing cannot be opened. */
export function closeUpwards(tree: readonly Branch[], codes: ReadonlySet<string>): Set<string> {
  const closed = new Set(codes)
  const visit = (branch: Branch): boolean => {
    const below = (branch.children ?? []).map(visit).some(Boolean)
    if (below) closed.add(branch.code)
    return below || closed.has(branch.code)
  }
  tree.forEach(visit)
  return closed
}

/** Chooses `branch` with all below it that may be given, or drops it with all that may be dropped. */
export function toggle(
  tree: readonly Branch[],
  chosen: readonly string[],
  branch: Branch,
  on: boolean,
  tier: number,
): string[] {
  const next = new Set(chosen)
  for (const one of flatten([branch])) {
    if (refusalOf(one, tier) !== null) continue
    if (on) next.add(one.code)
    else next.delete(one.code)
  }
  return inOrder(tree, closeUpwards(tree, next))
}

/** Codes in the order of the tree; those the tree does not know stay, at the end. */
export function inOrder(tree: readonly Branch[], codes: ReadonlySet<string>): string[] {
  const known = flatten(tree)
    .map((branch) => branch.code)
    .filter((code) => codes.has(code))
  return [...known, ...[...codes].filter((code) => !known.includes(code))]
}

/** How chosen codes show: full when all below is chosen too, else half. */
export function marks(tree: readonly Branch[], chosen: readonly string[]): { checked: string[]; halfChecked: string[] } {
  const has = new Set(chosen)
  const checked: string[] = []
  const halfChecked: string[] = []
  for (const branch of flatten(tree)) {
    if (!has.has(branch.code)) continue
    const whole = flatten(branch.children ?? []).every((one) => has.has(one.code))
    if (whole) checked.push(branch.code)
    else halfChecked.push(branch.code)
  }
  return { checked, halfChecked }
}

/** The branches whose title or code holds `text`, with those above them. */
export function search(tree: readonly Branch[], text: string): Branch[] {
  if (text === '') return [...tree]
  return tree.flatMap((branch) => {
    if (branch.title.includes(text) || branch.code.toLowerCase().includes(text.toLowerCase())) return [branch]
    const children = search(branch.children ?? [], text)
    return children.length > 0 ? [{ ...branch, children }] : []
  })
}

export interface CodeChange {
  added: string[]
  removed: string[]
}

/** What saving would change. */
export function difference(before: readonly string[], after: readonly string[]): CodeChange {
  const old = new Set(before)
  const now = new Set(after)
  return { added: after.filter((code) => !old.has(code)), removed: before.filter((code) => !now.has(code)) }
}
