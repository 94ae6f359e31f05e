import { useQuery } from '@tanstack/react-query'
import { Empty, Skeleton } from 'antd'
import { LoadFailure } from '@/kit/LoadFailure'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { AlarmActs } from './AlarmActs'
import { alarmsOf, isOver, kindWord, OPEN, ticketState } from './alarm'
import { ofTicket } from './useAlarmActs'
import './alarms.css'

/** The newest alarms of one bike; the header's tray follows all of them. */
export function BikeAlarms({ carId }: { carId: string }) {
  const query = useQuery(alarmsOf(carId))
  if (query.isLoading) return <Skeleton active />
  const rows = query.data?.rows ?? []
  return (
    <>
      <LoadFailure query={query} text="报警加载失败" />
      {query.data && rows.length === 0 && <Empty description="这辆车没有报过警" />}
      <ul className="alarm-inbox" aria-label="报警记录">
        {rows.map((ticket) => (
          <li key={ticket.id} className="alarm-entry" style={{ borderLeftColor: ticketState(ticket.state).color }}>
            <header>
              <strong>{kindWord(ticket.kind)}</strong>
              <Dot {...ticketState(ticket.state)} />
            </header>
            <p className="weak">
              <Time at={ticket.firstAt} />
              {ticket.times > 1 && ` · ${ticket.times} 次`}
              {ticket.endedBy !== '' && ` · ${ticket.endedBy}`}
              {ticket.note !== '' && `：${ticket.note}`}
            </p>
            {!isOver(ticket) && (
              <footer>
                <AlarmActs meant={ofTicket(ticket)} open={ticket.state === OPEN} />
              </footer>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
