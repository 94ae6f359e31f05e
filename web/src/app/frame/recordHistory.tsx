import { Skeleton } from 'antd'
import type { ComponentProps } from 'react'
import type { RecordHistory } from '@/kit/record/history'
import { Chunk } from '../lazyPage'

/** Comes with the first tab that shows it. */
const load = () => import('@/features/audit/SubjectHistory')

function Steps(record: ComponentProps<RecordHistory['Steps']>) {
  return (
    <Chunk load={load} waiting={<Skeleton active title={false} paragraph={{ rows: 6 }} />}>
      {({ SubjectHistory }) => <SubjectHistory {...record} />}
    </Chunk>
  )
}

/** The history of a record is that of the operator log, for whoever may read it. */
export const recordHistory: RecordHistory = { need: '1404', Steps }
