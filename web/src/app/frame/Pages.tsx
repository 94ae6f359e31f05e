/** The open pages: one on the screen, the others kept as they were left. */
import { Activity, memo, type ReactNode, useMemo } from 'react'
import {
  type Location,
  NavigationType,
  UNSAFE_LocationContext as LocationContext,
  UNSAFE_RouteContext as RouteContext,
} from 'react-router-dom'
import { LazyPage } from '../lazyPage'
import { PageBoundary } from '../PageBoundary'
import { Breadcrumbs } from './Breadcrumbs'
import { fillsFrame, staysAwake, type Tab } from './tabs'

const noRoute = { outlet: null, matches: [], isDataRoute: false }

/**
 * Holds its children at `location`, wherever the address goes: a page that is kept must not take the filters of the
 * page that is shown for its own.
 */
function At({ location, children }: { location: Location; children: ReactNode }) {
  const value = useMemo(() => ({ location, navigationType: NavigationType.Pop }), [location])
  return (
    <RouteContext value={noRoute}>
      <LocationContext value={value}>{children}</LocationContext>
    </RouteContext>
  )
}

/**
 * A page in the background does not work: its effects end (timers, keys, topics, its dialogs) and begin again when it
 * is shown. The live map alone goes on listening, so that it is at once what it was; it only stops drawing.
 */
export const KeptPage = memo(function KeptPage({ tab, shown }: { tab: Tab; shown: boolean }) {
  const fills = fillsFrame(tab.route)
  const page = (
    <At location={tab.location}>
      {!fills && <Breadcrumbs route={tab.route} />}
      <PageBoundary>
        <LazyPage page={tab.route.page ?? ''} />
      </PageBoundary>
    </At>
  )
  if (staysAwake(tab.route)) {
    return (
      <div className="kept kept-full" hidden={!shown} inert={!shown}>
        {page}
      </div>
    )
  }
  return (
    <Activity mode={shown ? 'visible' : 'hidden'}>
      <div className={fills ? 'kept kept-full' : 'kept'}>{page}</div>
    </Activity>
  )
})
