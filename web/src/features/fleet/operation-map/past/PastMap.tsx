/** The map at a past moment: the fleet, the fences and the alarms of then, and a bar that goes through the last seven days. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { App, Skeleton } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useState, useSyncExternalStore } from 'react'

import { failureText } from '@/api/client'
import { useBrandStore } from '@/app/brand'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { latOf, lngOf } from '@/live/projection'
import { FencesOnMap, SelectedOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import type { Daylight } from '@/map/palette'

import { FindBox } from '../FindBox'
import { flyToBike } from '../framing'
import { KpiStrip } from '../KpiStrip'
import { MapTools } from '../MapTools'
import { StateRail } from '../StateRail'
import { useFirstLook } from '../useFirstLook'
import { startingView, type useMapAddress } from '../useMapAddress'
import { isKnown, pastFences, pastTimes } from './past'
import { PastBar } from './PastBar'
import { PastBike, pastBike } from './PastBike'
import { PastOnMap } from './PastOnMap'
import { PastPlayer } from './player'
import './past.css'

interface PastMapProps {
  address: ReturnType<typeof useMapAddress>
  /** The moment to begin at, epoch ms. */
  at: number
  daylight: Daylight
  setDaylight: (next: Daylight) => void
}

export default function PastMap({ address, at: begun, daylight, setDaylight }: PastMapProps) {
  const { mask, setMask, setAt, showNow } = address
  const { message } = App.useApp()
  const client = useQueryClient()
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const [player] = useState(() => new PastPlayer(begun))
  const state = useSyncExternalStore(player.subscribe, player.snapshot)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const times = useQuery(pastTimes)
  const fences = useQuery({ ...pastFences(state.at), placeholderData: keepPreviousData })

  const { data } = times
  useEffect(() => {
    if (data !== undefined) player.setKnown(data.known, data.until)
  }, [player, data])
  useEffect(() => {
    player.seek(begun)
    return () => player.end()
    // The address follows the player, not the other way round.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [player])
  // What the address says is where it stood still last.
  const { at, playing } = state
  useEffect(() => {
    if (!playing) setAt(at)
  }, [at, playing, setAt])

  const { fitAll } = useFirstLook(map, fences.data)
  const bikes = player.feed.bikes
  const place = chosen !== null && (bikes.present[chosen] ?? 0) !== 0 ? { lat: latOf(bikes.y[chosen] ?? 0), lng: lngOf(bikes.x[chosen] ?? 0) } : null

  const found = (carId: string) =>
    void client.fetchQuery(pastBike({ carId })).then(
      ({ number }) => {
        setChosen(number)
        if ((bikes.present[number] ?? 0) === 0) void message.info(`${carId} 这个时刻不在路面上，或还没有定位`)
        else if (map !== null) flyToBike(map, latOf(bikes.y[number] ?? 0), lngOf(bikes.x[number] ?? 0))
      },
      (error: unknown) => void message.warning(failureText(error)),
    )
  const leave = () => setAt(null)

  return (
    <>
      <MapView start={startingView.view} daylight={daylight} tiles={tiles} label="回看地图" reach={null} onReady={setMap} onBaseState={() => undefined}>
        <FencesOnMap daylight={daylight} fences={fences.data} />
        <PastOnMap feed={player.feed} daylight={daylight} mask={mask} onHit={setChosen} />
        {chosen !== null && place !== null && <SelectedOnMap key={chosen} carId="" lat={place.lat} lng={place.lng} />}
      </MapView>
      <div className="opmap-top">
        <KpiStrip totals={state.totals} mask={mask} stale={false} onMask={setMask} />
        {data !== undefined && (
          <p className="opmap-note amber" role="status">
            {isKnown(data.known, at) ? `正在回看 ${formatTime(at)}，不是现在。` : '这个时刻没有车辆数据，地图上不显示车辆。'}
          </p>
        )}
      </div>
      <div className="opmap-left">
        <div>
          <FindBox onFound={found} />
        </div>
        <StateRail totals={state.totals} mask={mask} daylight={daylight} stale={false} onMask={setMask} />
        {chosen !== null && (
          <PastBike
            key={chosen}
            number={chosen}
            bikes={bikes}
            at={at}
            onClose={() => setChosen(null)}
            onNow={showNow}
          />
        )}
      </div>
      <MapTools map={map} daylight={daylight} onDaylight={setDaylight} onFitAll={fitAll} onPast={null} layers={null} lasso={null} board={null} shifted={false} />
      {times.isLoading && <Skeleton.Button active block className="opmap-past" />}
      {times.isError && (
        <section className="opmap-past" aria-label="回看">
          <LoadFailure query={times} text="可以回看的时间没有取到" />
        </section>
      )}
      {data !== undefined && <PastBar player={player} state={state} times={data} onLeave={leave} />}
    </>
  )
}
