import type { Map as LeafletMap } from 'leaflet'
import { useEffect, type RefObject } from 'react'

interface MapKeys {
  map: LeafletMap | null
  onClose: () => void
  onStep: (step: 1 | -1) => void
  /** Holds the input that `f` goes to. */
  find: RefObject<HTMLElement | null>
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** `f` finds a bike, `n` and `p` go to the next and previous one of the list, `Esc` closes the drawer, `+` and `-` zoom. */
export function useMapKeys({ map, onClose, onStep, find }: MapKeys): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
      // Behind another page the keys are that page's.
      if (find.current?.checkVisibility() === false) return
      // A question on top of the page has the keys to itself.
      if (document.querySelector('.ant-modal-wrap:not([style*="display: none"])') !== null) return
      const onMap = event.target instanceof HTMLElement && event.target.closest('.leaflet-container') !== null
      if (event.key === 'f') {
        event.preventDefault()
        find.current?.querySelector('input')?.focus()
      } else if (event.key === 'Escape') onClose()
      else if (event.key === 'n') onStep(1)
      else if (event.key === 'p') onStep(-1)
      // Leaflet has these keys itself while the map has the focus.
      else if ((event.key === '+' || event.key === '=') && !onMap) map?.zoomIn()
      else if (event.key === '-' && !onMap) map?.zoomOut()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [map, onClose, onStep, find])
}
