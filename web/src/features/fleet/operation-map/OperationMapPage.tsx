/** 运营地图: the live fleet on a full-bleed map, its states as filter, one bike in the drawer. */
import { useQuery } from '@tanstack/react-query'
import { App, ConfigProvider } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import { serverNow } from '@/api/clock'
import { dayTheme, nightTheme } from '@/app/antdTheme'
import { useBrandStore } from '@/app/brand'
import { useDaylight } from '@/map/daylight'
import { night, page } from '@/kit/theme'
import { isStale } from '@/live/connection'
import { useBikeNames, useConnection, useFleetTotals, useVehicleTopic } from '@/live/hooks'
import { bikeNames, fleet, liveSocket } from '@/live/live'
import type { BaseState } from '@/map/BaseLayers'
import { boundsOf } from '@/map/fences/fences'
import { type Corner, lassoed } from '@/map/lasso'
import { type LassoMode, LassoTool } from '@/map/LassoTool'
import { FencesOnMap, FleetOnMap, HeatOnMap, MarksOnMap, SelectedOnMap, StationsOnMap, TrackOnMap } from '@/map/layers'
import { mapVariables, MapView } from '@/map/MapView'

import { BikeChooser, type Choice } from './BikeChooser'
import { FindBox } from './FindBox'
import { FleetList } from './FleetList'
import { bringIntoView, fitPoints, flyToBike } from './framing'
import { KpiStrip } from './KpiStrip'
import { MapNotes } from './MapNotes'
import { MapTools } from './MapTools'
import './operationMap.css'
import { PickPanel } from './pick/PickPanel'
import { fenceMap, vehicleOf } from './queries'
import { SELECTED_MOST, type Selection } from './selection/selection'
import { SelectionBar } from './selection/SelectionBar'
import { StateRail } from './StateRail'
import { useFirstLook } from './useFirstLook'
import { useFleetList } from './useFleetList'
import { startingView, useMapAddress } from './useMapAddress'
import { useMapKeys } from './useMapKeys'
import { useMapLayers } from './useMapLayers'
import { useStationMarks } from './useStationMarks'
import { type HistoryPoint, newer, type Vehicle } from './vehicle'

// Comes with the first bike that is chosen, not with the map.
const VehicleDrawer = lazy(() => import('./VehicleDrawer'))
const PastMap = lazy(() => import('./past/PastMap'))

/** Whoever looks back begins a little before now. */
const BACK_MS = 600_000

const noPoints: readonly HistoryPoint[] = []

export default function OperationMapPage() {
  const address = useMapAddress()
  const { daylight, choose } = useDaylight()
  return (
    <ConfigProvider theme={daylight === 'night' ? nightTheme : dayTheme}>
      <App component={false}>
        <div className={`opmap opmap-${daylight}`} style={mapVariables(daylight)}>
          {address.at === null ? (
            <MapWithPanels address={address} daylight={daylight} setDaylight={choose} />
          ) : (
            <Suspense fallback={<div aria-busy="true" />}>
              <PastMap address={address} at={address.at} daylight={daylight} setDaylight={choose} />
            </Suspense>
          )}
        </div>
      </App>
    </ConfigProvider>
  )
}

interface MapWithPanelsProps {
  address: ReturnType<typeof useMapAddress>
  daylight: 'day' | 'night'
  setDaylight: (next: 'day' | 'night') => void
}

function MapWithPanels({ address, daylight, setDaylight }: MapWithPanelsProps) {
  const { mask, pick, carId, setMask, setCarId, setAt } = address
  const { message } = App.useApp()
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [base, setBase] = useState<BaseState>('loading')
  const [inView, setInView] = useState(-1)
  const [choice, setChoice] = useState<Choice | null>(null)
  const names = useBikeNames()
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

  const { fitAll, place } = useFirstLook(map, fences.data)

  // Found bikes are flown to; clicked ones are already on the screen. The chosen one stays in sight as it goes on,
  // until a hand takes the map elsewhere.
  const flownTo = useRef<string | null>(null)
  const following = useRef(false)
  const [lat, lng] = [vehicle?.lat ?? null, vehicle?.lng ?? null]
  useEffect(() => {
    if (carId === null) flownTo.current = null
    if (map === null || carId === null || lat === null || lng === null) return
    place()
    const first = flownTo.current !== carId
    if (first) following.current = true
    flownTo.current = carId
    if (first && clicked.current !== carId) flyToBike(map, lat, lng)
    else if (following.current) bringIntoView(map, lat, lng)
  }, [map, carId, lat, lng, place])
  useEffect(() => {
    if (map === null) return undefined
    const leave = () => {
      following.current = false
    }
    const unchoose = () => setChoice(null)
    const again = () => {
      if (following.current && lat !== null && lng !== null) bringIntoView(map, lat, lng)
    }
    map.on('dragstart', leave)
    // Before the click that may open another list.
    map.on('preclick dragstart zoomstart', unchoose)
    map.on('resize', again)
    return () => {
      map.off('dragstart', leave)
      map.off('preclick dragstart zoomstart', unchoose)
      map.off('resize', again)
    }
  }, [map, lat, lng])

  const [layers, toggleLayer] = useMapLayers()
  const marks = useStationMarks(layers.stations, fences.data)
  const [mode, setMode] = useState<LassoMode | null>(null)
  const [selection, setSelection] = useState<Selection | null>(null)
  const endDrawing = useCallback(() => setMode(null), [])
  const drawn = (ring: readonly Corner[]) => {
    setMode(null)
    const taken = lassoed(fleet.bikes, mask, ring, SELECTED_MOST)
    if (taken.total > 0) setSelection(taken)
    else void message.info(fleet.clusters.areaCount > 0 ? '范围太大，放大地图或设置筛选后再选' : '圈内没有车辆')
  }

  const list = useFleetList(mask, pick, fences.data, totals)
  const chosen = carId === null ? -1 : names.slotOf(carId)
  const wanted = useRef(-1)
  const choose = useCallback(
    (slot: number) => {
      if (slot === -1) return
      wanted.current = slot
      setChoice(null)
      const known = bikeNames.of(slot)
      void (known === undefined ? liveSocket.who(slot) : Promise.resolve(known)).then((number) => {
        // Another one was chosen while this one's number was on its way.
        if (wanted.current !== slot) return
        if (number === null) {
          void message.warning('没有取得这辆车的编号，请再点一次')
          return
        }
        bikeNames.learn(slot, number)
        clicked.current = number
        setCarId(number)
      })
    },
    [message, setCarId],
  )
  const found = useCallback(
    (number: string) => {
      wanted.current = -1
      setCarId(number)
    },
    [setCarId],
  )
  const several = useCallback((slots: readonly number[], at: Choice['at']) => setChoice({ slots, at }), [])
  const step = (by: 1 | -1) => choose(list.next(wanted.current === -1 ? chosen : wanted.current, by))

  const showTrack = useCallback(
    (points: readonly HistoryPoint[]) => {
      setTrack(points)
      if (map !== null && points.length > 1) fitPoints(map, points)
    },
    [map],
  )

  const close = useCallback(() => {
    wanted.current = -1
    setCarId(null)
  }, [setCarId])
  const find = useRef<HTMLDivElement>(null)
  useMapKeys({ map, onClose: choice === null ? close : () => setChoice(null), onStep: step, find })

  // A bike that strayed off the areas can still be looked at.
  const reach = useMemo(() => {
    const bounds = fences.data === undefined ? null : boundsOf(fences.data)
    if (bounds === null || lat === null || lng === null) return bounds
    const [[south, west], [north, east]] = bounds
    return [[Math.min(south, lat), Math.min(west, lng)], [Math.max(north, lat), Math.max(east, lng)]] as const
  }, [fences.data, lat, lng])

  const nothingAtAll = totals !== null && totals.shelved === 0
  return (
    <>
      <MapView start={startingView.view} daylight={daylight} tiles={tiles} label="运营地图" reach={reach} onReady={setMap} onBaseState={setBase}>
        <FencesOnMap daylight={daylight} fences={fences.data} />
        {layers.heat && <HeatOnMap daylight={daylight} mask={mask} />}
        {layers.stations && <StationsOnMap daylight={daylight} marks={marks} />}
        <TrackOnMap daylight={daylight} points={carId === null ? noPoints : track} />
        <FleetOnMap
          daylight={daylight}
          mask={mask}
          stale={stale}
          onHit={choose}
          onSeveral={several}
          all={list.all}
          pick={pick}
          onInView={setInView}
        />
        {selection !== null && <MarksOnMap daylight={daylight} slots={selection.slots} />}
        {vehicle !== null && vehicle.lat !== null && vehicle.lng !== null && (
          <SelectedOnMap key={vehicle.carId} carId={vehicle.carId} lat={vehicle.lat} lng={vehicle.lng} />
        )}
      </MapView>
      <div className={carId === null ? 'opmap-top' : 'opmap-top shifted'}>
        <KpiStrip totals={totals} mask={mask} stale={stale} onMask={setMask} />
        <MapNotes
          connection={connection}
          stale={stale}
          base={base}
          fencesFailed={fences.isError}
          empty={nothingAtAll ? 'fleet' : inView === 0 && totals !== null ? (mask === 0 && pick === null ? 'view' : 'filter') : null}
          onFitAll={fences.data !== undefined && fences.data.areas.length > 0 ? fitAll : null}
          onClearFilter={address.clearFilters}
        />
      </div>
      <div className="opmap-left">
        <div ref={find}>
          <FindBox onFound={found} />
        </div>
        <StateRail totals={totals} mask={mask} daylight={daylight} stale={stale} onMask={setMask} />
        <PickPanel text={address.picked} pick={pick} count={totals?.picked ?? null} onText={address.setPicked} />
        <FleetList
          slots={list.slots}
          chosen={chosen}
          open={list.open}
          partial={list.all === null}
          counted={list.counted}
          onOpen={list.setOpen}
          onChoose={choose}
          onStep={step}
        />
      </div>
      {choice !== null && <BikeChooser key={choice.slots.join()} choice={choice} onChoose={choose} onClose={() => setChoice(null)} />}
      <MapTools map={map} daylight={daylight} onDaylight={setDaylight} onFitAll={fitAll} onPast={() => setAt(serverNow() - BACK_MS)} layers={{ on: layers, toggle: toggleLayer }} lasso={{ mode, onMode: setMode }} shifted={carId !== null} />
      {map !== null && mode !== null && <LassoTool map={map} mode={mode} onDrawn={drawn} onCancel={endDrawing} />}
      {selection !== null && <SelectionBar selection={selection} onClear={() => setSelection(null)} />}
      {carId !== null && (
        // Its place is taken at once: the bike moves out from under it.
        <Suspense fallback={<aside className="opmap-drawer" aria-busy="true" aria-label={`车辆 ${carId}`} />}>
          <VehicleDrawer
            key={carId}
            carId={carId}
            vehicle={vehicle}
            failure={asked.error ?? (pushed.refused === '' ? null : pushed.refused)}
            stale={stale}
            ink={daylight === 'night' ? night : page}
            onClose={close}
            onStep={list.open ? step : null}
            onTrack={showTrack}
          />
        </Suspense>
      )}
    </>
  )
}
