/** 运营地图: the live fleet on a full-bleed map, its states as filter, one bike in the drawer. */
import { useQuery } from '@tanstack/react-query'
import { App } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import { useBrandStore } from '@/app/brand'
import { night, page } from '@/kit/theme'
import { isStale } from '@/live/connection'
import { useBikeNames, useConnection, useFleetTotals, useVehicleTopic } from '@/live/hooks'
import { bikeNames, fleet, liveSocket } from '@/live/live'
import type { BaseState } from '@/map/BaseLayers'
import { boundsOf } from '@/map/fences/fences'
import type { LassoMode } from '@/map/LassoTool'
import { FencesOnMap, FleetOnMap, SelectedOnMap, TrackOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'

import { BikeChooser, type Choice } from './BikeChooser'
import { FindBox } from './FindBox'
import { FleetList } from './FleetList'
import { bringIntoView, fitPoints, flyToBike } from './framing'
import { KpiStrip } from './KpiStrip'
import { MapFrame, type MapNow } from './MapFrame'
import { MapNotes } from './MapNotes'
import { MapTools } from './MapTools'
import { newer } from './newer'
import { fenceMap, vehicleOf } from './queries'
import type { Selection } from './selection/selection'
import { StateRail } from './StateRail'
import { useFirstLook } from './useFirstLook'
import { useFleetList } from './useFleetList'
import { startingView } from './useMapAddress'
import { useMapKeys } from './useMapKeys'
import { useMapLayers } from './useMapLayers'
import type { HistoryPoint, Vehicle } from './vehicle'

// Comes with the first bike that is chosen, not with the map.
const VehicleDrawer = lazy(() => import('./VehicleDrawer'))
const LassoTool = lazy(() => import('@/map/LassoTool'))
const MapExtras = lazy(() => import('./MapExtras'))
const SelectionBar = lazy(() => import('./selection/SelectionBar'))
const BlockedBoard = lazy(() => import('./blocked/BlockedBoard'))
const PickPanel = lazy(() => import('./pick/PickPanel'))
const DeskTools = lazy(() => import('./desk/DeskTools'))

const noPoints: readonly HistoryPoint[] = []
const noReasons: readonly string[] = []
const noSlots: readonly number[] = []
/** Most bikes that are acted on at once. */
const SELECTED_MOST = 5000

export default function OperationMapPage() {
  return <MapFrame now={MapWithPanels} />
}

function MapWithPanels({ address, daylight, setDaylight, onPast }: MapNow) {
  const { mask, pick, carId, setMask, setCarId } = address
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

  const [layers, setLayers] = useMapLayers()
  const [mode, setMode] = useState<LassoMode | null>(null)
  const [selection, setSelection] = useState<Selection | null>(null)
  const endDrawing = useCallback(() => setMode(null), [])
  const drawn = (taken: Selection) => {
    setMode(null)
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

  // One thing at a time stands at the right: a bike that is chosen takes the board's or the notes' place.
  const [aside, setAside] = useState<'board' | 'notes' | null>(null)
  const asideOpen = carId === null ? aside : null
  const beside = aside !== null || carId !== null
  const openAside = (which: 'board' | 'notes') => {
    setAside(asideOpen === which ? null : which)
    if (asideOpen !== which) close()
  }
  const nothingAtAll = totals !== null && totals.shelved === 0
  return (
    <>
      <MapView start={startingView.view} daylight={daylight} tiles={tiles} label="运营地图" reach={reach} onReady={setMap} onBaseState={setBase}>
        <FencesOnMap daylight={daylight} fences={fences.data} />
        {(layers.heat || layers.stations || selection !== null) && (
          <Suspense fallback={null}>
            <MapExtras daylight={daylight} heat={layers.heat ? mask : null} stations={layers.stations} fences={fences.data} marked={selection?.slots ?? noSlots} />
          </Suspense>
        )}
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
        {vehicle !== null && vehicle.lat !== null && vehicle.lng !== null && (
          <SelectedOnMap key={vehicle.carId} carId={vehicle.carId} lat={vehicle.lat} lng={vehicle.lng} />
        )}
      </MapView>
      <div className={beside ? 'opmap-top shifted' : 'opmap-top'}>
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
        <Suspense fallback={<section className="opmap-pick" aria-busy="true" />}>
          <PickPanel text={address.picked} pick={pick} count={totals?.picked ?? null} onText={address.setPicked} />
        </Suspense>
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
      <MapTools map={map} daylight={daylight} onDaylight={setDaylight} onFitAll={fitAll} onPast={onPast} layers={{ on: layers, toggle: (name) => setLayers({ ...layers, [name]: !layers[name] }) }} lasso={{ mode, onMode: setMode }} board={{ open: asideOpen === 'board', onOpen: () => openAside('board') }} shifted={beside}>
        <Suspense fallback={null}>
          <DeskTools map={map} address={address} layers={layers} onLayers={setLayers} onPlaced={place} notesOpen={asideOpen === 'notes'} onNotes={() => openAside('notes')} onBike={found} />
        </Suspense>
      </MapTools>
      <Suspense fallback={null}>
        {map !== null && mode !== null && <LassoTool map={map} mode={mode} bikes={fleet.bikes} mask={mask} most={SELECTED_MOST} onTaken={drawn} onCancel={endDrawing} />}
        {selection !== null && <SelectionBar selection={selection} onClear={() => setSelection(null)} />}
      </Suspense>
      {asideOpen === 'board' && (
        <Suspense fallback={<aside className="opmap-drawer" aria-busy="true" aria-label="不可租看板" />}>
          <BlockedBoard
            areas={address.picked.area ?? null}
            picked={pick?.reasons ?? noReasons}
            onPick={(why) => address.setPicked({ why })}
            onClose={() => setAside(null)}
          />
        </Suspense>
      )}
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
