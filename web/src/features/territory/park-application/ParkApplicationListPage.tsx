import { ListPage } from '@/kit/list/ListPage'
import { applicationList } from './description'
import { ParkApplicationDrawer } from './ParkApplicationDrawer'
import type { ParkApplication } from './parkApplication'

/** 站点申请管理. */
export default function ParkApplicationListPage() {
  return (
    <ListPage<ParkApplication>
      description={applicationList}
      drawer={(id, close, neighbours) => <ParkApplicationDrawer id={id} neighbours={neighbours} onClose={close} />}
    />
  )
}
