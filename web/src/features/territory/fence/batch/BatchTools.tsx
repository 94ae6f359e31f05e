import { EditOutlined } from '@ant-design/icons'
import { App, Button, Dropdown } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { failureText } from '@/api/client'
import type { Filters } from '@/kit/list/description'
import type { Fence } from '../fence'
import { foundBy } from './batches'
import { FENCES_MOST } from './change'

// What is asked and looked at comes with the dialog, not with the list.
const BatchDialog = lazy(() => import('./BatchDialog').then((module) => ({ default: module.BatchDialog })))
const RecentBatches = lazy(() => import('./RecentBatches').then((module) => ({ default: module.RecentBatches })))

/** The dialog for the rows that were marked, when there are some. */
export function BatchOfMarked({ fences, onDone, onClose }: { fences: readonly Fence[]; onDone?: (() => void) | undefined; onClose(): void }) {
  return (
    <Suspense fallback={null}>
      <BatchDialog fences={fences} onDone={onDone} onClose={onClose} />
    </Suspense>
  )
}

/** Changes all that the filter finds, and tells what was changed lately. */
export function BatchTools({ asked }: { asked(): Filters }) {
  const { message } = App.useApp()
  const [fences, setFences] = useState<readonly Fence[] | null>(null)
  const [recent, setRecent] = useState(false)
  const [finding, setFinding] = useState(false)
  const find = async () => {
    setFinding(true)
    try {
      const found = await foundBy(asked())
      if (found === null) void message.warning(`筛选结果超过 ${FENCES_MOST} 个，请缩小范围或勾选要修改的行`)
      else if (found.length === 0) void message.info('筛选结果为空')
      else setFences(found)
    } catch (error) {
      void message.error(failureText(error))
    } finally {
      setFinding(false)
    }
  }
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'found', label: '修改筛选结果', onClick: () => void find() },
            { key: 'recent', label: '最近的批量修改', onClick: () => setRecent(true) },
          ],
        }}
      >
        <Button icon={<EditOutlined />} loading={finding}>
          批量修改
        </Button>
      </Dropdown>
      {fences && <BatchOfMarked fences={fences} onClose={() => setFences(null)} />}
      {recent && (
        <Suspense fallback={null}>
          <RecentBatches onClose={() => setRecent(false)} />
        </Suspense>
      )}
    </>
  )
}
