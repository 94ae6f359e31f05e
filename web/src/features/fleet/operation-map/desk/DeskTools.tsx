/** What an operator keeps and hands on at the map: his views, and the notes of the shift. Comes after the map. */
import { useQuery } from '@tanstack/react-query'
import { App, Badge, Popover, Skeleton } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'

import { useFollow } from '@/kit/list/useFollow'
import { prefersStillness } from '@/map/MapView'

import { sign } from '../MapToolIcons'
import { Tool } from '../MapTools'
import type { useMapAddress } from '../useMapAddress'
import type { MapLayers } from '../useMapLayers'
import './desk.css'
import { noteCount, NOTES_PATH, TABLE } from './notes'
import { stateOf, type StoredView, wantedOf } from './views'

// Each comes when it is asked for.
const ViewsMenu = lazy(() => import('./ViewsMenu'))
const ViewForm = lazy(() => import('./ViewForm'))
const NotesDrawer = lazy(() => import('./NotesDrawer'))

const viewSign = sign(<path d="M4 2h8v12l-4-3-4 3z" />)
const noteSign = sign(<path d="M3 2h10v12H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3" />)

interface DeskToolsProps {
  map: LeafletMap | null
  address: ReturnType<typeof useMapAddress>
  layers: MapLayers
  onLayers: (layers: MapLayers) => void
  /** The map looks at a place that was asked for. */
  onPlaced: () => void
  /** Whether the notes stand at the right. */
  notesOpen: boolean
  /** Opens the notes, or closes them. */
  onNotes: () => void
  onBike: (carId: string) => void
}

export default function DeskTools({ map, address, layers, onLayers, onPlaced, notesOpen, onNotes, onBike }: DeskToolsProps) {
  // The drawer stands beside the map, not among its tools.
  const around = map?.getContainer().closest('.opmap')
  return (
    <>
      <Views map={map} address={address} layers={layers} onLayers={onLayers} onPlaced={onPlaced} />
      <Notes open={notesOpen} onOpen={onNotes} />
      {notesOpen &&
        around &&
        createPortal(
          <Suspense fallback={<aside className="opmap-drawer" aria-busy="true" aria-label="交接班" />}>
            <NotesDrawer onBike={onBike} onClose={onNotes} />
          </Suspense>,
          around,
        )}
    </>
  )
}

function Notes({ open, onOpen }: { open: boolean; onOpen: () => void }) {
  const { data } = useQuery(noteCount)
  useFollow(TABLE, [NOTES_PATH])
  const waiting = data?.waiting ?? 0
  return (
    <Tool label={waiting === 0 ? '交接班' : `交接班：${waiting} 条未知悉`} pressed={open} onClick={onOpen}>
      <Badge count={waiting} size="small" overflowCount={99} offset={[4, -2]}>
        {noteSign}
      </Badge>
    </Tool>
  )
}

function Views({ map, address, layers, onLayers, onPlaced }: Omit<DeskToolsProps, 'notesOpen' | 'onNotes' | 'onBike'>) {
  const { message } = App.useApp()
  const [open, setOpen] = useState(false)
  const [form, setForm] = useState<{ view: StoredView | null; state: string } | null>(null)
  const tool = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  // The menu stands at the end of the document: the keyboard is taken there, and back by Escape.
  const enter = useCallback(() => list.current?.querySelector('button')?.focus({ preventScroll: true }), [])
  const leave = useCallback(() => {
    setOpen(false)
    tool.current?.querySelector('button')?.focus()
  }, [])
  useEffect(() => {
    if (!open) return undefined
    const press = (event: KeyboardEvent) => {
      // A question on top of it has the key to itself.
      if (event.key !== 'Escape' || document.querySelector('.ant-modal-wrap:not([style*="display: none"])') !== null) return
      // The map closes its drawer by the same key.
      event.preventDefault()
      leave()
    }
    window.addEventListener('keydown', press, true)
    return () => window.removeEventListener('keydown', press, true)
  }, [open, leave])
  const state = () => {
    if (map === null) return null
    const { lat, lng } = map.getCenter()
    return stateOf({ mask: address.mask, picked: address.picked, layers, place: { lat, lng, zoom: map.getZoom() } })
  }
  const openView = ({ name, state: stored }: StoredView) => {
    leave()
    const wanted = wantedOf(stored)
    address.setPicked(wanted.address)
    onLayers(wanted.layers)
    if (map !== null && wanted.place !== null) {
      onPlaced()
      map.setView([wanted.place.lat, wanted.place.lng], wanted.place.zoom, { animate: !prefersStillness() })
    }
    void message.success(`已打开视图「${name}」`)
  }
  const ask = (view: StoredView | null) => {
    const now = state()
    if (now === null) return
    setOpen(false)
    setForm({ view, state: now })
  }
  const menu = (
    <div ref={list}>
      <Suspense fallback={<Skeleton active title={false} className="opmap-views" />}>
        <ViewsMenu state={state} onOpen={openView} onForm={ask} onReady={enter} />
      </Suspense>
    </div>
  )
  return (
    <>
      <Popover open={open} onOpenChange={setOpen} afterOpenChange={(shown) => shown && enter()} trigger="click" placement="left" title="视图" destroyOnHidden content={menu}>
        <span ref={tool}>
          <Tool label="视图" expanded={open} onClick={() => undefined}>
            {viewSign}
          </Tool>
        </span>
      </Popover>
      {form !== null && (
        <Suspense fallback={null}>
          <ViewForm view={form.view} state={form.state} onClose={() => setForm(null)} />
        </Suspense>
      )}
    </>
  )
}
