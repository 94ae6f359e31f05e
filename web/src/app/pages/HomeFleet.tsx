import { Card } from 'antd'
import { Link } from 'react-router-dom'
import { KpiFigure } from '@/features/fleet/operation-map/KpiFigure'
import { kpis } from '@/features/fleet/operation-map/kpis'
import { isStale } from '@/live/connection'
import { useConnection, useFleetTotals } from '@/live/hooks'
import { ConnectionBadge } from '../frame/ConnectionBadge'
import { paths } from '../routes'

/** How the fleet in scope stands, now; grey with its age when nobody tells any more. */
export function HomeFleet() {
  const totals = useFleetTotals()
  const connection = useConnection()
  const stale = isStale(connection) && 'seconds' in connection ? connection.seconds : null
  return (
    <Card size="small" title="车辆" extra={<ConnectionBadge />}>
      <dl className={stale === null ? 'home-fleet figures' : 'home-fleet figures stale'}>
        {kpis.map((kpi) => (
          <div key={kpi.label}>
            <dt>{kpi.label}</dt>
            <dd className="figure">
              <KpiFigure kpi={kpi} totals={totals} />
            </dd>
          </div>
        ))}
      </dl>
      {stale !== null && totals !== null && <p className="stale-note">连接中断，数据停在 {stale} 秒前</p>}
      <Link to={paths.operationMap}>打开运营地图</Link>
    </Card>
  )
}
