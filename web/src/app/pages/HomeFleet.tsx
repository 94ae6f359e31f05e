import { Card } from 'antd'
import { Link } from 'react-router-dom'
import { rentableShare } from '@/features/fleet/operation-map/KpiStrip'
import { countOf } from '@/features/fleet/operation-map/mapFilter'
import { isStale } from '@/live/connection'
import { useConnection, useFleetTotals } from '@/live/hooks'
import type { FleetTotals } from '@/live/totals'
import { ConnectionBadge } from '../frame/ConnectionBadge'
import { paths } from '../routes'

const whole = new Intl.NumberFormat('zh-CN')

/** Figures of the fleet, as the map's strip calls them. */
const figures: readonly { label: string; of: (totals: FleetTotals) => string }[] = [
  { label: '上架', of: (totals) => whole.format(totals.shelved) },
  { label: '可租率', of: (totals) => (totals.shelved === 0 ? '–' : `${rentableShare(totals)}%`) },
  { label: '骑行中', of: (totals) => whole.format(countOf('riding', totals)) },
  { label: '低电', of: (totals) => whole.format(countOf('low_battery', totals)) },
  { label: '告警', of: (totals) => whole.format(countOf('alarm', totals)) },
  { label: '离线', of: (totals) => whole.format(countOf('silent', totals)) },
]

/** How the fleet in scope stands, now; grey with its age when nobody tells any more. */
export function HomeFleet() {
  const totals = useFleetTotals()
  const connection = useConnection()
  const stale = isStale(connection) && 'seconds' in connection ? connection.seconds : null
  return (
    <Card size="small" title="车辆" extra={<ConnectionBadge />}>
      <dl className={stale === null ? 'home-fleet figures' : 'home-fleet figures stale'}>
        {figures.map(({ label, of }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="figure">{totals === null ? '–' : of(totals)}</dd>
          </div>
        ))}
      </dl>
      {stale !== null && totals !== null && <p className="stale-note">连接中断，数据停在 {stale} 秒前</p>}
      <Link to={paths.operationMap}>打开运营地图</Link>
    </Card>
  )
}
