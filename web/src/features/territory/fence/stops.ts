/** Where bikes stopped about a fence, and how that is judged. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { BodyOf, DataOf } from '@/api/shapes'
import { ink, stateStyle } from '@/kit/theme'
import type { Fence } from './fence'

export type StopPreview = DataOf<'/fence/preview', 'post'>
export type Tally = StopPreview['before']
type PreviewBody = BodyOf<'/fence/preview'>

/** How a stop is judged, by its number. */
export const stopClasses = [
  { key: 'parked', label: '规范停放', color: ink.good },
  { key: 'outsideParking', label: '站点外', color: ink.warning },
  { key: 'outsideArea', label: '服务区外', color: stateStyle[7].color },
  { key: 'noStop', label: '禁停区', color: stateStyle[5].color },
  { key: 'noRide', label: '禁行区', color: stateStyle[6].color },
] as const satisfies readonly { key: keyof Tally; label: string; color: string }[]

export const colorOfStop = (number: number) => (stopClasses[number] ?? stopClasses[1]).color

export const countOf = (tally: Tally) => stopClasses.reduce((sum, { key }) => sum + tally[key], 0)

/** What a fence is asked about: what was drawn last, as a draft or not. */
export function previewBody({ id, name, geometry, parking, ban, tags, remark }: Fence): PreviewBody {
  return { id, name, geometry, tags, remark, ...(parking ? { parking } : {}), ...(ban ? { ban } : {}) }
}

export const stopPreview = (body: PreviewBody, version: number) =>
  queryOptions({
    queryKey: ['/fence/preview', body.id, version],
    queryFn: ({ signal }) => api.post('/fence/preview', body, { signal, quiet: true }),
    staleTime: 60_000,
  })

export const RETURN_DAYS = [7, 14, 30] as const

export const fenceReturns = (id: string, version: number, days: number) =>
  queryOptions({
    queryKey: ['/fence/returns', id, version, days],
    queryFn: ({ signal }) => api.get('/fence/returns', { id, days }, { signal }),
    staleTime: 60_000,
  })

/** What a change does, in a sentence; null where it changes nothing. */
export function saidOfChange({ before, after }: Pick<StopPreview, 'before' | 'after'>): string | null {
  const said = stopClasses.flatMap(({ key, label }) => {
    const change = after[key] - before[key]
    return change === 0 ? [] : [`${label} ${change > 0 ? '多' : '少'} ${Math.abs(change).toLocaleString('zh-CN')} 次`]
  })
  return said.length === 0 ? null : said.join('，')
}
