import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { Branch } from './codes'

const TREE_PATH = '/platform/permission/tree/opMan'

/** The tree of codes; `checked` says which ones the operator holds and so may grant. */
export const grantableTree = queryOptions({
  queryKey: [TREE_PATH],
  queryFn: ({ signal }): Promise<readonly Branch[]> =>
    api.get(TREE_PATH, { opManId: localStorage.getItem('opMan') }, { signal }),
  staleTime: 60_000,
})

/** A query of a tree of codes. */
export type TreeSource = typeof grantableTree
