import { useQuery } from '@tanstack/react-query'
import { Card, Empty, Skeleton } from 'antd'
import { Link } from 'react-router-dom'
import { allDevices, DEVICES_PATH, waiting } from '@/features/access/operator-device/operatorDevice'
import { LOG_PATH, logPage } from '@/features/audit/log'
import { ResultTag } from '@/features/audit/ResultTag'
import { useFollow } from '@/kit/list/useFollow'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit } from '@/kit/Permit'
import { Time } from '@/kit/Time'
import { paths } from '../routes'

/** What machines do would fill it in a second. */
const PEOPLE = 1
/** As many as are read at a glance. */
const NEWEST = 6

/** People who wait to be let in; nothing while there are none. */
function WaitingDevices() {
  const query = useQuery(allDevices)
  useFollow('operator_device', [DEVICES_PATH])
  const count = waiting(query.data ?? []).length
  if (count === 0) return null
  return (
    <p className="home-waiting">
      <strong className="figure">{count}</strong> 台新设备等待授权，<Link to={paths.user}>去核实</Link>
    </p>
  )
}

/** What people in scope did last. */
function NewestActs() {
  const query = useQuery(logPage({ page: 1, pageSize: NEWEST, actorKind: PEOPLE }))
  useFollow('audit_entry', [LOG_PATH])
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 4 }} title={false} />
  if (!query.data) return <LoadFailure query={query} text="最近的操作加载失败" />
  if (query.data.rows.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有操作记录" />
  return (
    <ul className="home-acts">
      {query.data.rows.map((row) => (
        <li key={row.position}>
          <span className="weak">
            <Time at={row.time} />
          </span>
          <span className="home-act">
            {row.name || row.opManId} {row.actionLabel} {row.target}
          </span>
          <ResultTag result={row.result} label={row.resultLabel} />
        </li>
      ))}
    </ul>
  )
}

/** What has come to pass and what waits for somebody, for those who may know. */
export function HomeMessages() {
  return (
    <Card size="small" title="消息">
      <Permit need="1002">
        <WaitingDevices />
      </Permit>
      <Permit need="1404">
        <NewestActs />
        <Link to={paths.operatorLog}>全部操作日志</Link>
      </Permit>
    </Card>
  )
}
