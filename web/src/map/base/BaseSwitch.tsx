import L from 'leaflet'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useMap } from 'react-leaflet'
import { badgeOf, type BaseChoice, OFFLINE } from './choices'
import { useBaseStore } from './chosen'

/** Tiles that did not load are looked for again so soon, then ever more rarely. */
const AGAIN_FIRST_MS = 5_000
const AGAIN_LAST_MS = 300_000

interface BaseSwitchProps {
  choices: readonly BaseChoice[]
  chosen: BaseChoice
  /** Whether its tiles do not load, and our own city lies there. */
  fallen: boolean
  /** Whether the layer that the page is for is not configured. */
  unknown: boolean
  onChoose: (id: string) => void
  onRetry: () => void
}

/** What lies beneath, with its datum, and what may lie there instead; a line where that could not be had. */
export default function BaseSwitch({ choices, chosen, fallen, unknown, onChoose, onRetry }: BaseSwitchProps) {
  const row = useRef<HTMLDivElement>(null)
  useKept(row)
  useComeBack(fallen ? chosen : null)
  const label = fallen ? badgeOf(OFFLINE) : null
  const { raster } = chosen
  return (
    <>
      <div className="map-base" ref={row}>
        <select aria-label="底图" title="底图和它的坐标系" value={chosen.id} onChange={({ target }) => onChoose(target.value)}>
          {choices.map((choice) => (
            <option key={choice.id} value={choice.id}>
              {badgeOf(choice)}
            </option>
          ))}
        </select>
        {label !== null && <span className="map-base-now">{label}</span>}
        {!fallen && raster?.attribution ? <span className="map-base-owner">{raster.attribution}</span> : null}
      </div>
      {fallen ? (
        <Line key={chosen.id} text={`${chosen.name}底图无法加载，已切换为离线底图`} act={{ label: '重试', onClick: onRetry }} />
      ) : (
        unknown && <Line text="没有配置腾讯底图，先用其他底图代替，坐标仍按 GCJ-02：请系统管理员在 WHEELHOUSE_MAP_LAYERS 或网站配置的 tiles.layers 中加入编号为 tencent 的底图" />
      )}
    </>
  )
}

/** What the map has to say, until it is waved away. */
function Line({ text, act }: { text: string; act?: { label: string; onClick: () => void } }) {
  const [open, setOpen] = useState(true)
  const box = useRef<HTMLParagraphElement>(null)
  useKept(box)
  if (!open) return null
  return (
    <p className="map-line" role="status" ref={box}>
      {text}
      {act && (
        <>
          {' · '}
          <button type="button" onClick={act.onClick}>
            {act.label}
          </button>
        </>
      )}
      <button type="button" aria-label="关闭提示" onClick={() => setOpen(false)}>
        ×
      </button>
    </p>
  )
}

/** Keeps what is done in a box from the map beneath it. */
function useKept(box: { readonly current: HTMLElement | null }) {
  useEffect(() => {
    const { current } = box
    if (current === null) return
    L.DomEvent.disableClickPropagation(current)
    L.DomEvent.disableScrollPropagation(current)
    // Arrows and + change what is chosen, not where the map looks.
    L.DomEvent.on(current, 'keydown', L.DomEvent.stopPropagation)
  }, [box])
}

/** Looks whether the tiles of a layer that did not load do so now, ever more rarely, and when the network comes back. */
function useComeBack(layer: BaseChoice | null) {
  const map = useMap()
  const rise = useBaseStore((store) => store.rise)
  const [id, raster] = [layer?.id ?? null, layer?.raster ?? null]
  const look = useEffectEvent(async () => {
    if (id === null || raster === null) return
    const { loads } = await import('./rasterLayer')
    if (await loads(map, raster)) rise(id)
  })
  useEffect(() => {
    if (id === null) return undefined
    let wait_ms = AGAIN_FIRST_MS
    let timer = 0
    const now = () => void look().catch(() => undefined)
    const later = () => {
      timer = window.setTimeout(() => {
        now()
        later()
      }, wait_ms)
      wait_ms = Math.min(wait_ms * 2, AGAIN_LAST_MS)
    }
    later()
    window.addEventListener('online', now)
    return () => {
      window.clearTimeout(timer)
      window.removeEventListener('online', now)
    }
  }, [id])
}
