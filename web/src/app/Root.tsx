import { Spin } from 'antd'
import { useEffect } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { decide } from './access'
import { Frame } from './frame/Frame'
import { Watermark } from './frame/Watermark'
import { LazyPage } from './lazyPage'
import { exemptNames, type Route } from './routes'
import { loadFirstSelection } from './session/selection'
import { loadUser, useSession } from './session/store'
import { isLoggedIn } from './session/stored'

/** The guard: every address passes here, and what `access.decide` says happens. */
export function Root() {
  const { pathname, search } = useLocation()
  const codes = useSession((state) => state.codes)
  const outcome = decide(pathname, search, { loggedIn: isLoggedIn(), codes })

  if (outcome.kind === 'redirect') return <Navigate to={outcome.to} replace />
  if (outcome.kind === 'load') return <LoadUser />
  const { route } = outcome
  return (
    <>
      <LaidOut route={route} />
      {!exemptNames.includes(route.name) && <Watermark />}
    </>
  )
}

/** First navigation of a session: user info, the codes, the areas. */
function LoadUser() {
  useEffect(() => {
    void loadUser().then(() => useSession.getState().codes && loadFirstSelection())
  }, [])
  return (
    <div className="loading-user">
      <Spin size="large" description="正在加载用户信息…">
        <div />
      </Spin>
    </div>
  )
}

function LaidOut({ route }: { route: Route }) {
  const page = <LazyPage key={route.path} page={route.page ?? ''} />
  if (route.layout === 'root') return <Frame route={route}>{page}</Frame>
  return route.layout === 'bare' ? <main className="bare">{page}</main> : page
}
