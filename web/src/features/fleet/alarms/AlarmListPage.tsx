import { ListPage } from '@/kit/list/ListPage'
import { type AlarmTicket, alarmList } from './alarm'
import { AlarmDrawer } from './AlarmDrawer'

/** 报警单: what waits and what was. */
export default function AlarmListPage() {
  return <ListPage<AlarmTicket> description={alarmList} drawer={(id, close) => <AlarmDrawer id={id} onClose={close} />} />
}
