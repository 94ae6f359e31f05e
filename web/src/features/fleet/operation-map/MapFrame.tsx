/** What surrounds a live map: day or night, and whether it shows now or a past moment. */
import { App, ConfigProvider } from 'antd'
import { type ComponentType, lazy, Suspense } from 'react'

import { serverNow } from '@/api/clock'
import { dayTheme, nightTheme } from '@/app/antdTheme'
import { type Daylight, useDaylight } from '@/map/daylight'
import { mapVariables } from '@/map/MapView'

import './operationMap.css'
import { useMapAddress } from './useMapAddress'

const PastMap = lazy(() => import('./past/PastMap'))

/** Whoever looks back begins a little before now. */
const BACK_MS = 600_000

/** What the map of now is given. */
export interface MapNow {
  address: ReturnType<typeof useMapAddress>
  daylight: Daylight
  setDaylight: (next: Daylight) => void
  /** Looks back. */
  onPast: () => void
}

export function MapFrame({ now: Now }: { now: ComponentType<MapNow> }) {
  const address = useMapAddress()
  const { daylight, choose } = useDaylight()
  return (
    <ConfigProvider theme={daylight === 'night' ? nightTheme : dayTheme}>
      <App component={false}>
        <div className={`opmap opmap-${daylight}`} style={mapVariables(daylight)}>
          {address.at === null ? (
            <Now address={address} daylight={daylight} setDaylight={choose} onPast={() => address.setAt(serverNow() - BACK_MS)} />
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
