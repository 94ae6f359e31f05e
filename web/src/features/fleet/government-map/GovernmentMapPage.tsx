/** 车辆地图: the fleet as a city's office sees it: where bikes are and how many, now and in the last seven days; nobody's name, nothing to be done. */
import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { useCallback, useMemo, useState } from 'react'

import { useBrandStore } from '@/app/brand'
import { isStale } from '@/live/connection'
import { useConnection, useFleetTotals } from '@/live/hooks'
import { bikeNames, liveSocket } from '@/live/live'
import type { BaseState } from '@/map/BaseLayers'
import { boundsOf } from '@/map/fences/fences'
import { FencesOnMap, FleetOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'

import { KpiStrip } from '../operation-map/KpiStrip'
import { MapFrame, type MapNow } from '../operation-map/MapFrame'
import { MapNotes } from '../operation-map/MapNotes'
import { MapTools } from '../operation-map/MapTools'
import { fenceMap } from '../operation-map/queries'
import { StateRail } from '../operation-map/StateRail'
import { useFirstLook } from '../operation-map/useFirstLook'
import { startingView } from '../operation-map/useMapAddress'
import { AreaCounts } from './AreaCounts'
import { BikeCard } from './BikeCard'
import './governmentMap.css'

export default function GovernmentMapPage() {
  return <MapFrame now={Now} />
}

function Now({ address, daylight, setDaylight, onPast }: MapNow) {
  const { mask, carId, setMask, setCarId, setPicked } = address
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [base, setBase] = useState<BaseState>('loading')
  const [inView, setInView] = useState(-1)
  const [counts, setCounts] = useState(false)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const connection = useConnection()
  const totals = useFleetTotals()
  const stale = isStale(connection)
  const fences = useQuery(fenceMap)
  const { fitAll } = useFirstLook(map, fences.data)
  // Of all that an address may pick, areas alone.
  const areas = address.picked.area ?? ''
  const pick = useMemo(() => (areas === '' ? null : { areas: areas.split(',') }), [areas])
  const choose = useCallback(
    (slot: number) => {
      void liveSocket.who(slot).then((number) => {
        if (number === null) return
        bikeNames.learn(slot, number)
        setCarId(number)
      })
    },
    [setCarId],
  )
  const first = useCallback((slots: readonly number[]) => slots[0] !== undefined && choose(slots[0]), [choose])
  const reach = useMemo(() => (fences.data === undefined ? null : boundsOf(fences.data)), [fences.data])
  const names = useMemo(() => (fences.data?.areas ?? []).map(({ id, name }) => ({ value: id, label: name })), [fences.data])
  const empty = totals !== null && totals.shelved === 0 ? 'fleet' : inView === 0 && totals !== null ? (mask === 0 && pick === null ? 'view' : 'filter') : null
  return (
    <>
      <MapView start={startingView.view} daylight={daylight} tiles={tiles} label="车辆地图" reach={reach} onReady={setMap} onBaseState={setBase}>
        <FencesOnMap daylight={daylight} fences={fences.data} />
        <FleetOnMap daylight={daylight} mask={mask} stale={stale} onHit={choose} onSeveral={first} all={null} pick={pick} onInView={setInView} viewer="office" />
      </MapView>
      <div className={counts ? 'opmap-top shifted' : 'opmap-top'}>
        <KpiStrip totals={totals} mask={mask} stale={stale} onMask={setMask} />
        <MapNotes
          connection={connection}
          stale={stale}
          base={base}
          fencesFailed={fences.isError}
          empty={empty}
          onFitAll={reach === null ? null : fitAll}
          onClearFilter={address.clearFilters}
        />
      </div>
      <div className="opmap-left">
        <Select
          mode="multiple"
          allowClear
          maxTagCount="responsive"
          className="gov-areas"
          placeholder="全部服务区"
          aria-label="服务区"
          showSearch={{ optionFilterProp: 'label' }}
          value={areas === '' ? [] : areas.split(',')}
          options={names}
          onChange={(chosen: string[]) => setPicked({ area: chosen.length === 0 ? null : chosen.join(',') })}
        />
        <StateRail totals={totals} mask={mask} daylight={daylight} stale={stale} onMask={setMask} />
        {carId !== null && <BikeCard key={carId} carId={carId} onClose={() => setCarId(null)} />}
      </div>
      <MapTools
        map={map}
        daylight={daylight}
        onDaylight={setDaylight}
        onFitAll={fitAll}
        onPast={onPast}
        layers={null}
        lasso={null}
        board={null}
        counts={{ open: counts, onOpen: () => setCounts(!counts) }}
        shifted={counts}
      />
      {counts && <AreaCounts names={names} chosen={areas === '' ? [] : areas.split(',')} onClose={() => setCounts(false)} />}
    </>
  )
}
