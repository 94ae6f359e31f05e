import type { Map as LeafletMap } from 'leaflet'

/** Whether the key that holds snapping off (Alt) is held, by the pointer over a map: it needs no focus. */
export function holdOff(map: LeafletMap): { readonly held: boolean; end(): void } {
  const state = { held: false, end: () => undefined as void }
  const look = ({ altKey }: PointerEvent) => {
    state.held = altKey
  }
  const box = map.getContainer()
  const events = ['pointermove', 'pointerdown', 'pointerup'] as const
  for (const event of events) box.addEventListener(event, look, { capture: true })
  state.end = () => {
    for (const event of events) box.removeEventListener(event, look, { capture: true })
  }
  return state
}

/** Focuses a map where it stands: Leaflet would scroll to it at the first click, and the click would land beside its place. Answers how to end it. */
export function focusStill(map: LeafletMap): () => void {
  const box = map.getContainer()
  const focus = () => box.focus({ preventScroll: true })
  box.addEventListener('pointerdown', focus, { capture: true })
  return () => box.removeEventListener('pointerdown', focus, { capture: true })
}
