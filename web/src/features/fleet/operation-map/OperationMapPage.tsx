/** 运营地图: the live fleet on a full-bleed map, its states as filter, one bike in the drawer. */
import { useQuery } from '@tanstack/react-query'
import { App, ConfigProvider, theme as antdThemes } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { useCallback, useEffect, useRef, useState } from 'react'

import { useBrandStore } from '@/app/brand'
import { night, page } from '@/app/theme'
import { isStale } from '@/live/connection'
import { useConnection, useFleetTotals, useVehicleTopic } from '@/live/hooks'
import { liveSocket } from '@/live/live'
import type { BaseState } from '@/map/BaseLayers'
import { boundsOf } from '@/map/fences/fences'
import { FencesOnMap, FleetOnMap, SelectedOnMap, TrackOnMap } from '@/map/layers'
import { mapVariables, MapView } from '@/map/MapView'

import { FindBox } from './FindBox'
import { bringIntoView, fitFree, fitPoints, flyToBike } from './framing'
import { KpiStrip } from './KpiStrip'
import { MapNotes } from './MapNotes'
import { MapTools } from './MapTools'
import './operationMap.css'
import { fenceMap, vehicleOf } from './queries'
import { StateRail } from './StateRail'
import { rememberView, startingView, useDaylight, useMapAddress } from './useMapAddress'
import { useMapKeys } from './useMapKeys'
import { type HistoryPoint, newer, type Vehicle } from './vehicle'
import { VehicleDrawer } from './VehicleDrawer'

const noPoints: readonly HistoryPoint[] = []

export default function OperationMapPage() {
  const address = useMapAddress()
  const [daylight, setDaylight] = useDaylight()
  return (
    <ConfigProvider theme={daylight === 'night' ? nightTheme : dayTheme}>
      <App component={false}>
        <div className={`opmap opmap-${daylight}`} style={mapVariables(daylight)}>
          <MapWithPanels address={address} daylight={daylight} setDaylight={setDaylight} />
        </div>
      </App>
    </ConfigProvider>
  )
}

/** Not nothing: a theme that comes and goes would build the whole map anew. */
const dayTheme = {}
const nightTheme = {
  algorithm: antdThemes.darkAlgorithm,
  token: {
    colorBgContainer: night.panel,
    colorBgElevated: night.panel,
    colorPrimary: night.accent,
    colorText: night.text,
    colorBorder: night.line,
    colorBorderSecondary: night.line,
    colorSplit: night.line,
  },
}

interface MapWithPanelsProps {
  address: ReturnType<typeof useMapAddress>
  daylight: 'day' | 'night'
  setDaylight: (next: 'day' | 'night') => void
}

function MapWithPanels({ address, daylight, setDaylight }: MapWithPanelsProps) {
  const { mask, carId, setMask, setCarId } = address
  const { message } = App.useApp()
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [base, setBase] = useState<BaseState>('loading')
  const [inView, setInView] = useState(-1)
  const [track, setTrack] = useState<readonly HistoryPoint[]>(noPoints)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const connection = useConnection()
  const totals = useFleetTotals()
  const stale = isStale(connection)
  const fences = useQuery(fenceMap)
  const asked = useQuery({ ...vehicleOf(carId ?? ''), enabled: carId !== null })
  const pushed = useVehicleTopic<Vehicle>(carId)
  const vehicle = carId === null ? null : newer(asked.data, pushed.data)
  const clicked = useRef<string | null>(null)

  const fitAll = useCallback(() => {
    const bounds = fences.data === undefined ? null : boundsOf(fences.data)
    if (bounds !== null && map !== null) fitFree(map, bounds)
  }, [map, fences.data])

  // The first look is at the areas, unless this browser remembers where it was.
  const placed = useRef(startingView.remembered)
  useEffect(() => {
    if (placed.current || map === null || fences.data === undefined) return
    placed.current = true
    fitAll()
  }, [map, fences.data, fitAll])
  useEffect(() => rememberView(map), [map])

  // Found bikes are flown to; clicked ones are already on the screen.
  const flownTo = useRef<string | null>(null)
  useEffect(() => {
    if (carId === null) flownTo.current = null
    if (map === null || carId === null || vehicle === null || flownTo.current === carId) return
    flownTo.current = carId
    if (vehicle.lat === null || vehicle.lng === null) return
    placed.current = true
    if (clicked.current === carId) bringIntoView(map, vehicle.lat, vehicle.lng)
    else flyToBike(map, vehicle.lat, vehicle.lng)
  }, [map, carId, vehicle])

  const hit = useCallback(
    (slot: number) => {
      void liveSocket.who(slot).then((found) => {
        if (found === null) {
          void message.warning('没有取得这辆车的编号，请再点一次')
          return
        }
        clicked.current = found
        setCarId(found)
      })
    },
    [message, setCarId],
  )

  const showTrack = useCallback(
    (points: readonly HistoryPoint[]) => {
      setTrack(points)
      if (map !== null && points.length > 1) fitPoints(map, points)
    },
    [map],
  )

  const close = useCallback(() => setCarId(null), [setCarId])
  const find = useRef<HTMLDivElement>(null)
  useMapKeys({ map, onClose: close, find })

  const nothingAtAll = totals !== null && totals.shelved === 0
  return (
    <>
      <MapView start={startingView.view} daylight={daylight} tiles={tiles} label="运营地图" onReady={setMap} onBaseState={setBase}>
        <FencesOnMap daylight={daylight} fences={fences.data} />
        <TrackOnMap daylight={daylight} points={carId === null ? noPoints : track} />
        <FleetOnMap daylight={daylight} mask={mask} stale={stale} onHit={hit} onInView={setInView} />
        {vehicle !== null && vehicle.lat !== null && vehicle.lng !== null && (
          <SelectedOnMap key={vehicle.carId} carId={vehicle.carId} lat={vehicle.lat} lng={vehicle.lng} />
        )}
      </MapView>
      <div className={carId === null ? 'opmap-top' : 'opmap-top shifted'}>
        <KpiStrip totals={totals} mask={mask} onMask={setMask} />
        <MapNotes
          connection={connection}
          stale={stale}
          base={base}
          fencesFailed={fences.isError}
          empty={nothingAtAll ? 'fleet' : inView === 0 && totals !== null ? (mask === 0 ? 'view' : 'filter') : null}
          onFitAll={fences.data !== undefined && fences.data.areas.length > 0 ? fitAll : null}
          onClearFilter={() => setMask(0)}
        />
      </div>
      <div className="opmap-left">
        <div ref={find}>
          <FindBox onFound={setCarId} />
        </div>
        <StateRail totals={totals} mask={mask} daylight={daylight} onMask={setMask} />
      </div>
      <MapTools map={map} daylight={daylight} onDaylight={setDaylight} onFitAll={fitAll} shifted={carId !== null} />
      {carId !== null && (
        <VehicleDrawer
          key={carId}
          carId={carId}
          vehicle={vehicle}
          failure={asked.error ?? (pushed.refused === '' ? null : pushed.refused)}
          stale={stale}
          ink={daylight === 'night' ? night : page}
          onClose={close}
          onTrack={showTrack}
        />
      )}
    </>
  )
}
