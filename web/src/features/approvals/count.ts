/** What the header knows of them: it comes with every page, and the rest with the first look. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'

/** The first part of the keys of all that is asked for here. */
export const APPROVALS = '/platform/approval'

export const waitingCount = queryOptions({
  queryKey: [APPROVALS, 'count'],
  queryFn: async ({ signal }) => (await api.get('/platform/approval/count', {}, { signal, quiet: true })).waiting,
})
