import { useEffect, useState, useSyncExternalStore } from 'react'
import { frame } from './theme'

/** Classes of width: sidebar open, sidebar collapsed, sidebar as a drawer. */
export type DeviceClass = 'desktop' | 'tablet' | 'mobile'

/** The class of a window `width` px wide; a limit belongs to the larger class. */
export function deviceClass(width: number): DeviceClass {
  if (width >= frame.desktop) return 'desktop'
  return width >= frame.tablet ? 'tablet' : 'mobile'
}

/** Follows the window. */
export function useDevice(): DeviceClass {
  const [device, setDevice] = useState(() => deviceClass(window.innerWidth))
  useEffect(() => {
    const follow = () => setDevice(deviceClass(window.innerWidth))
    window.addEventListener('resize', follow)
    return () => window.removeEventListener('resize', follow)
  }, [])
  return device
}

const STILL = '(prefers-reduced-motion: reduce)'

function followStillness(changed: () => void): () => void {
  const query = window.matchMedia(STILL)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** Whether the user asked the system for less motion. */
export function useStillness(): boolean {
  return useSyncExternalStore(followStillness, () => window.matchMedia(STILL).matches)
}
