import { Spin } from 'antd'
import { Activity, useEffect, useState } from 'react'
import { type Location, Navigate, useLocation } from 'react-router-dom'
import { decide } from './access'
import { useBrand } from './brand'
import { ChatWidget } from './chat/ChatWidget'
import { recordHistory } from './frame/recordHistory'
import { Watermark } from './frame/Watermark'
import { HistoryContext } from '@/kit/record/history'
import { Chunk, LazyPage } from './lazyPage'
import { exemptNames, type Route } from './routes'
import { loadFirstSelection } from './session/selection'
import { loadUser, useSession } from './session/store'
import { isLoggedIn } from './session/stored'
import { useOtherTabs } from './session/useOtherTabs'
import { useSettings } from './settings/store'

/** Whoever only signs in never needs it. */
const loadFrame = () => import('./frame/Frame')

interface Place {
  route: Route
  location: Location
}

/** Authorisation: every address passes here, and what `access.decide` says happens. */
export function Root() {
  useOtherTabs()
  const location = useLocation()
  const codes = useSession((state) => state.codes)
  const { multiTab } = useSettings()
  const loggedIn = isLoggedIn()
  const outcome = decide(location.pathname, location.search, { loggedIn, codes })

  const page = outcome.kind === 'page' ? outcome.route : null
  useTitle(page)
  const [framed, setFramed] = useState<Place | null>(null)
  if (page?.layout === 'root' && framed?.location !== location) setFramed({ route: page, location })
  // The frame outlives a redirect, and with tabs also a page without a frame: what is open in it stays as it is.
  const inFrame = page?.layout === 'root' || outcome.kind === 'redirect'
  const frame = loggedIn && codes !== null && (inFrame || multiTab) ? framed : null

  return (
    <>
      {frame && (
        <Activity mode={inFrame ? 'visible' : 'hidden'}>
          <Chunk load={loadFrame} waiting={<Loading />}>
            {({ Frame }) => <Frame route={frame.route} location={frame.location} />}
          </Chunk>
        </Activity>
      )}
      {outcome.kind === 'redirect' && <Navigate to={outcome.to} replace />}
      {outcome.kind === 'load' && <LoadUser />}
      {page && page.layout !== 'root' && <Unframed route={page} />}
      {(page ? !exemptNames.includes(page.name) : frame !== null) && <Watermark />}
      {loggedIn && <ChatWidget />}
    </>
  )
}

/** The window is called after its page and the client; what needs no login is called after the client alone. */
function useTitle(page: Route | null): void {
  const { title } = useBrand()
  const full = page === null || exemptNames.includes(page.name) ? title : `${page.title} · ${title}`
  useEffect(() => {
    document.title = full
  }, [full])
}

/** First navigation of a session: user info, the codes, the areas. */
function LoadUser() {
  useEffect(() => {
    void loadUser().then(() => useSession.getState().codes && loadFirstSelection())
    // On its way meanwhile; who waits for it tells of a failure.
    loadFrame().catch(() => undefined)
  }, [])
  return <Loading />
}

function Loading() {
  return (
    <div className="loading-user">
      <Spin size="large" description="正在加载用户信息…">
        <div />
      </Spin>
    </div>
  )
}

function Unframed({ route }: { route: Route }) {
  const page = <LazyPage key={route.path} page={route.page ?? ''} />
  if (route.layout !== 'bare') return page
  return (
    <main id="content" className="bare">
      <HistoryContext value={recordHistory}>{page}</HistoryContext>
    </main>
  )
}
