/** Day or night of the live map; the frame around it follows. */
import { create } from 'zustand'

export type Daylight = 'day' | 'night'

const DAYLIGHT = 'map-daylight'

/** As chosen in this browser, else as the system has it. */
function first(): Daylight {
  const kept = localStorage.getItem(DAYLIGHT)
  if (kept === 'day' || kept === 'night') return kept
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'day'
}

interface DaylightStore {
  readonly daylight: Daylight
  choose(next: Daylight): void
}

export const useDaylight = create<DaylightStore>((set) => ({
  daylight: first(),
  choose: (next) => {
    localStorage.setItem(DAYLIGHT, next)
    set({ daylight: next })
  },
}))
