import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { ListPage } from '@/kit/list/ListPage'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { HoldingsTab } from '../cards/HoldingsTab'
import { riderList } from './description'
import { calledOf, type Rider, type RiderInfo, riderInfo } from './rider'
import { RiderActions } from './RiderActions'
import { riderFacts } from './RiderFacts'
import './rider.css'

/** 用户列表. */
export default function RiderListPage() {
  return <ListPage<Rider> description={riderList} drawer={(id, close) => <RiderDrawer id={id} onClose={close} />} />
}

/** A rider at the right side of the list; the page of his own has all of him. */
function RiderDrawer({ id, onClose }: { id: string; onClose(): void }) {
  return (
    <RecordDrawer<RiderInfo>
      id={id}
      query={useQuery(riderInfo(id))}
      category="rider"
      words={{ untitled: '用户详情', failure: '用户加载失败', subject: '这位用户', main: '操作' }}
      title={calledOf}
      actions={() => (
        <Button size="small" href={`#/user-info-detail?userId=${id}`} target="_blank">
          打开详情页
        </Button>
      )}
      facts={riderFacts}
      tabs={() => [{ key: 'cards', label: '卡与会员', children: <HoldingsTab userId={id} /> }]}
      onClose={onClose}
    >
      {(_, rider) => <RiderActions rider={rider} />}
    </RecordDrawer>
  )
}
