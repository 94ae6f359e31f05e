import { useQuery } from '@tanstack/react-query'
import { App, Button, Drawer, Empty, Skeleton } from 'antd'
import { api, command, failureText } from '@/api/client'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { namesOf } from '@/kit/list/batch'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { madeText, type RecentBatch, recentBatches, staleByBatch } from './batches'
import { changeWords, COUNTER } from './change'
import './batch.css'

const NAMES_SHOWN = 5
const DRAWER_PX = 640

/** Changes of many in the last days, and the way to take them back. */
export function RecentBatches({ onClose }: { onClose(): void }) {
  const query = useQuery(recentBatches)
  const { rows, more, days } = query.data ?? { rows: [], more: false, days: 0 }
  return (
    <Drawer open title="最近的批量修改" size={DRAWER_PX} onClose={onClose} destroyOnHidden>
      {query.isLoading && <Skeleton active />}
      <LoadFailure query={query} text="批量修改的记录加载失败" />
      {query.data && rows.length === 0 && <Empty description={`近 ${days} 天没有批量修改`} />}
      {rows.length > 0 && (
        <>
          <p className="weak">
            近 {days} 天内的修改可以整体撤销；之后又单独改过的停车区保持不变。{more && '只列出最近的 100 次。'}
          </p>
          <div role="list" aria-label="批量修改">
            {rows.map((batch) => (
              <Made key={batch.id} batch={batch} />
            ))}
          </div>
        </>
      )}
    </Drawer>
  )
}

/** What became of it since. */
function undoneText({ undoneAt, undoneName, fences }: RecentBatch): string | null {
  if (undoneAt === null) return null
  const back = fences.filter((fence) => fence.back).length
  return `${formatTime(undoneAt)}${undoneName === null ? '' : ` 由${undoneName}`}撤销，恢复 ${back} 个${back < fences.length ? `，${fences.length - back} 个之后又有变动，保持不变` : ''}`
}

function Made({ batch }: { batch: RecentBatch }) {
  const { id, reason, change, operatorName, madeAt, undoneAt, fences } = batch
  const { message } = App.useApp()
  const confirm = useDangerousConfirm()
  const undo = useCommand({ run: command.post('/fence/batch/undo'), stale: staleByBatch })
  const ask = async () => {
    try {
      const { back, left } = await api.post('/fence/batch/undo', { id, check: true }, { quiet: true })
      if (back === 0) return void message.warning(left[0]?.refused ? `没有可以撤销的：${left[0].refused}` : '没有可以撤销的')
      const kept = left.length === 0 ? '' : `${left.length} 个保持不变：${namesOf(left.map(({ name, refused }) => `${name}（${refused}）`), COUNTER)}。`
      confirm({
        act: '撤销批量修改',
        name: reason,
        consequence: `${back} ${COUNTER}立即恢复修改前的设置，各成为一个新版本；还没生效的修改不再生效。${kept}`,
        onConfirm: async () => {
          const done = await undo.mutateAsync({ id })
          void message.success(`已恢复 ${done.back} ${COUNTER}${done.left.length > 0 ? `，${done.left.length} 个保持不变` : ''}`)
        },
      })
    } catch (error) {
      void message.error(failureText(error))
    }
  }
  const undone = undoneText(batch)
  const names = fences.slice(0, NAMES_SHOWN).map(({ name }) => name).join('、')
  return (
    <article className="batch-made" role="listitem" aria-label={reason}>
      <header>
        <strong>{reason}</strong>
        {undoneAt === null && (
          <Button size="small" danger loading={undo.isPending} onClick={() => void ask()}>
            撤销
          </Button>
        )}
      </header>
      <p className="weak figure">
        {formatTime(madeAt)}
        {operatorName === null ? '' : ` · ${operatorName}`} · {fences.length} 个停车区 · {madeText(batch)}
      </p>
      <p>{changeWords(change).join('，')}</p>
      <p className="weak" title={fences.map(({ name }) => name).join('、')}>
        {names}
        {fences.length > NAMES_SHOWN && ` 等 ${fences.length} 个`}
      </p>
      {undone && <p className="weak">{undone}</p>}
    </article>
  )
}
