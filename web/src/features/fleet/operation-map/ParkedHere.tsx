import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { api, failureText } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { Vehicle } from './vehicle'

type JudgedPlace = DataOf<'/fence/judge'>

const JUDGED_EVERY_MS = 10_000
/** A fix wanders by less than this many digits of a degree tell. */
const PLACE_DIGITS = 6

/** What the fences say now of a bike that is left where this one stands. */
const judgementOf = (vehicle: Readonly<{ lat: number; lng: number; hdop: number | null; areaId: string }>) => {
  const [lat, lng] = [vehicle.lat.toFixed(PLACE_DIGITS), vehicle.lng.toFixed(PLACE_DIGITS)]
  // A bike without an area is judged by whichever holds the place.
  const opAreaId = vehicle.areaId === '' || vehicle.areaId === '0' ? undefined : vehicle.areaId
  return queryOptions({
    queryKey: ['fence', 'judge', lat, lng, vehicle.hdop, opAreaId],
    queryFn: ({ signal }) => api.get('/fence/judge', { lat: Number(lat), lng: Number(lng), hdop: vehicle.hdop ?? undefined, opAreaId }, { signal, quiet: true }),
    // Somebody may publish a fence meanwhile.
    refetchInterval: JUDGED_EVERY_MS,
    placeholderData: keepPreviousData,
    retry: false,
  })
}

const judgedWords = ['规范停放', '站点外', '服务区外', '禁停区', '禁行区'] as const

/** How a stop is judged, by the number of its class. */
const judgedWord = (value: number): string => judgedWords[value] ?? '未判定'

/** How the place of a bike is judged by the fences that count now, and why. */
export function ParkedHere({ vehicle }: { vehicle: Vehicle }) {
  const { lat, lng, hdop, areaId } = vehicle
  if (lat === null || lng === null) return null
  return <Judged place={{ lat, lng, hdop, areaId }} />
}

function Judged({ place }: { place: Parameters<typeof judgementOf>[0] }) {
  const { data, error } = useQuery(judgementOf(place))
  return (
    <section className="opmap-block" aria-label="还车判定">
      <p className="opmap-sentence" aria-live="polite">
        {data ? <Told judged={data} /> : <span className="opmap-weak">{error ? failureText(error, '还车判定没有取到') : '正在判定停放位置…'}</span>}
      </p>
    </section>
  )
}

function Told({ judged }: { judged: JudgedPlace }) {
  const { fenceName, nearestName, nearest, reasons } = judged
  const at = fenceName ?? nearestName
  const far = fenceName === null && nearest !== null ? ` ${Math.round(nearest.beyondM)} 米` : ''
  return (
    <>
      <b className={judged.class === 0 ? undefined : 'opmap-amber'}>{judgedWord(judged.class ?? -1)}</b>
      {at !== null && ` · ${fenceName === null ? '最近' : ''}「${at}」${far}`}
      <span className="opmap-weak"> · 在此还车：{reasons.join('；')}</span>
    </>
  )
}
