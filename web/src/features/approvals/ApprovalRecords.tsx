import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { usePermit } from '@/kit/Permit'
import { type Approval, approvalKinds } from './approval'
import { ApprovalDrawer } from './ApprovalDrawer'
import { approvalList } from './description'
import { LimitsDrawer } from './LimitsDrawer'
import './approvals.css'

/** What waits for a second person and what was decided, and from what on there must be one. */
export default function ApprovalRecords() {
  const kinds = useQuery(approvalKinds)
  const description = useMemo(() => approvalList(kinds.data ?? []), [kinds.data])
  const [limiting, setLimiting] = useState(false)
  const mayLimit = usePermit('1002')
  return (
    <div className="home-approvals">
      <ListPage<Approval>
        description={description}
        tools={() => mayLimit && <Button onClick={() => setLimiting(true)}>复核额度</Button>}
        drawer={(id, close, neighbours) => <ApprovalDrawer id={id} neighbours={neighbours} onClose={close} />}
      />
      {limiting && <LimitsDrawer onClose={() => setLimiting(false)} />}
    </div>
  )
}
