/** Signs of the map's tools, drawn in few strokes. */
import type { ReactNode } from 'react'

export const sign = (strokes: ReactNode) => (
  <svg viewBox="0 0 16 16" width="1em" height="1em" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden>
    {strokes}
  </svg>
)

export const boxSign = sign(<rect x="2" y="3" width="12" height="10" strokeDasharray="3 1.6" />)
export const lassoSign = sign(<path d="M5 10c-5-2-3-8 3-8s8 6 3 8-6 1-7 0 0-2 1-1-1 3-2 5" strokeDasharray="3 1.6" />)
export const heatSign = sign(<path d="M8 1c1 3 4 4 4 8a4 4 0 0 1-8 0c0-2 1-3 2-4 0 1 1 2 2 2 0-2-1-3 0-6z" />)
export const stationSign = sign(<path d="M3 15V2h6a3.5 3.5 0 0 1 0 7H3" />)
export const blockedSign = sign(<path d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4" />)
export const countsSign = sign(<path d="M2 14V8h3v6zM6.5 14V3h3v11zM11 14V6h3v8z" />)
