import { EnvironmentOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Drawer, Empty, Skeleton, Switch } from 'antd'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { LoadFailure } from '@/kit/LoadFailure'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { frame } from '@/kit/theme'
import { alarmInbox, type AlarmGroup, type AlarmTicket, evidenceOf, kindWord, OPEN, placeOnMap, ticketState, urgencyTag } from './alarm'
import { allowDesktop, useNotices } from './notice'
import { AlarmActs } from './AlarmActs'
import { type Meant, ofGroup, ofTicket } from './useAlarmActs'
import './alarms.css'

/** Where all of them are listed, those of before included. */
const ALL = '/vehicle/vehicle-query?view=alarms'

/** Alarms that wait for somebody, the most urgent first; what has one cause stands as one entry. */
export default function InboxDrawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const query = useQuery({ ...alarmInbox, enabled: open })
  const { groups = [], tickets = [], waiting } = query.data ?? {}
  const shown = tickets.length + groups.reduce((sum, { ids }) => sum + ids.length, 0)
  const all = waiting ? waiting.open + waiting.acknowledged : 0
  return (
    <Drawer open={open} title="报警" size={frame.drawer} onClose={onClose} extra={<Wishes />}>
      {query.isLoading && <Skeleton active />}
      <LoadFailure query={query} text="报警加载失败" />
      {waiting && (
        <p className="alarm-counts">
          未处理 <strong className="figure">{waiting.open}</strong> · 处理中 <strong className="figure">{waiting.acknowledged}</strong> · 已升级{' '}
          <strong className="figure">{waiting.escalated}</strong>
        </p>
      )}
      {query.data && all === 0 && <Empty description="没有待处理的报警" />}
      <ul className="alarm-inbox" aria-label="待处理的报警">
        {groups.map((group) => (
          <GroupEntry key={group.ids.at(-1)} group={group} />
        ))}
        {tickets.map((ticket) => (
          <TicketEntry key={ticket.id} ticket={ticket} onLeave={onClose} />
        ))}
      </ul>
      {shown < all && <p className="weak">只列出最紧急的 {shown} 项，共 {all} 项。</p>}
      <p>
        <Link to={ALL} onClick={onClose}>
          全部报警单
        </Link>
      </p>
    </Drawer>
  )
}

/** Whether this browser makes itself heard. */
function Wishes() {
  const { sound, desktop } = useNotices()
  const wishDesktop = async (wanted: boolean) => useNotices.setState({ desktop: wanted && (await allowDesktop()) })
  return (
    <span className="alarm-wishes">
      <span>
        声音 <Switch size="small" checked={sound} onChange={(wanted) => useNotices.setState({ sound: wanted })} aria-label="新的紧急报警发出声音" />
      </span>
      <span>
        桌面通知 <Switch size="small" checked={desktop} onChange={(wanted) => void wishDesktop(wanted)} aria-label="新的紧急报警弹出桌面通知" />
      </span>
    </span>
  )
}

function TicketEntry({ ticket, onLeave }: { ticket: AlarmTicket; onLeave(): void }) {
  const evidence = evidenceOf(ticket)
  return (
    <Entry ticket={ticket} meant={ofTicket(ticket)} open={ticket.state === OPEN}>
      <header>
        <strong>{kindWord(ticket.kind)}</strong>
        <span>{ticket.carId}</span>
        <Dot {...ticketState(ticket.state)} />
      </header>
      <p className="weak">
        {[ticket.areaName, evidence, ticket.times > 1 ? `第 ${ticket.times} 次` : ''].filter((part) => part).join(' · ')}
      </p>
      <p className="weak">
        <Time at={ticket.lastAt} />
        {ticket.acknowledgedBy !== '' && ` · ${ticket.acknowledgedBy} 处理中`}
        <Link className="alarm-place" to={placeOnMap(ticket.carId)} onClick={onLeave}>
          <EnvironmentOutlined aria-hidden /> 在地图上查看
        </Link>
      </p>
    </Entry>
  )
}

function GroupEntry({ group }: { group: AlarmGroup }) {
  const { areaNames } = group
  const areas = areaNames.length > 3 ? `${areaNames.slice(0, 3).join('、')} 等 ${areaNames.length} 个服务区` : areaNames.join('、')
  return (
    <Entry ticket={group} meant={ofGroup(group)} open={group.open > 0}>
      <header>
        <strong>
          {kindWord(group.kind)} <span className="figure">{group.ids.length}</span> 辆
        </strong>
        <span className="weak">可能是同一原因</span>
      </header>
      <p className="weak">
        {areas} · 未处理 {group.open}
      </p>
      <p className="weak">
        <Time at={group.firstAt} /> 至 <Time at={group.lastAt} />
      </p>
    </Entry>
  )
}

interface EntryProps {
  ticket: Pick<AlarmTicket, 'urgency' | 'isEscalated'>
  meant: Meant
  /** Whether it still has to be taken on by somebody. */
  open: boolean
  children: ReactNode
}

function Entry({ ticket: { urgency, isEscalated }, meant, open, children }: EntryProps) {
  const { color, label } = urgencyTag(urgency)
  return (
    <li className={open && isEscalated ? 'alarm-entry alarm-escalated' : 'alarm-entry'} style={{ borderLeftColor: color }}>
      <span className="heard">{label}</span>
      {children}
      <footer>
        <AlarmActs meant={meant} open={open} />
        {isEscalated && open && <span className="alarm-late">已升级</span>}
      </footer>
    </li>
  )
}
