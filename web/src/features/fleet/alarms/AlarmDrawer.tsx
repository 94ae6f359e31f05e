import { useQuery } from '@tanstack/react-query'
import { Space } from 'antd'
import { Link } from 'react-router-dom'
import { ticketStateLabels } from '@/api/generated/labels'
import { Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { factsOf } from '@/kit/list/cells'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit } from '@/kit/Permit'
import { AlarmActs } from './AlarmActs'
import { alarmInfo, alarmList, evidenceOf, isOver, kindWord, OPEN, placeOnMap } from './alarm'
import { ofTicket } from './useAlarmActs'
import './alarms.css'

/** One alarm ticket, and what can still be said of it. */
export function AlarmDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const query = useQuery(alarmInfo(id))
  const ticket = query.data
  return (
    <FormDrawer title={ticket ? `${kindWord(ticket.kind)} ${ticket.carId}` : '报警单'} loading={query.isLoading} onClose={onClose}>
      <LoadFailure query={query} text="报警单加载失败" />
      {ticket && (
        <>
          <Facts
            facts={[
              ...factsOf(alarmList, ticket, 'kind', 'urgency', 'state', 'carId', 'areaName', 'firstAt', 'lastAt', 'times', 'isEscalated'),
              { name: '依据', value: evidenceOf(ticket) },
              ...factsOf(alarmList, ticket, 'acknowledgedAt', 'acknowledgedBy', 'endedAt', 'endedBy', 'cause', 'note', 'lat', 'lng', 'id'),
            ]}
          />
          <Space wrap className="alarm-acts">
            {isOver(ticket) ? <span className="weak">{ticketStateLabels[ticket.state]}，不能再处理</span> : <AlarmActs meant={ofTicket(ticket)} open={ticket.state === OPEN} size="middle" />}
            <Permit need="0301">
              <Link to={placeOnMap(ticket.carId)}>在地图上查看</Link>
            </Permit>
          </Space>
        </>
      )}
    </FormDrawer>
  )
}
