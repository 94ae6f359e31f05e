import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { api, command } from '@/api/client'
import { factsOf } from '@/kit/list/cells'
import { ListPage } from '@/kit/list/ListPage'
import { useBatch } from '@/kit/list/useBatch'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { Unmasked } from '../Unmasked'
import { BLACKLIST_PATH, type BlacklistEntry, blacklistInfo, calledOf, HOLDING, REASON_MAX, stale } from './blacklist'
import { BlacklistForm } from './BlacklistForm'
import { blacklistList } from './description'
import { Evidence } from './Evidence'

const reason = { label: '解除原因', placeholder: '解除原因（必填）', max: REASON_MAX }
const batch = { keyOf: ({ id }: BlacklistEntry) => id, called: calledOf, counter: '条', stale }

/** Lifts one entry or many; of many each is judged alone. */
function useLift() {
  const run = useBatch<BlacklistEntry>(batch)
  return (act: string, rows: readonly BlacklistEntry[], done: () => void) =>
    run(
      {
        act,
        verb: '解除',
        rows,
        none: '所选记录都已结束',
        consequence: '解除后用户可以立即用车；操作日志中仍可查到。',
        reason,
        run: (ids, options, why) => api.post(`${BLACKLIST_PATH}/lift`, { ids, reason: why }, options).then(({ results }) => ({ results })),
      },
      done,
    )
}

/** 黑名单. */
export default function BlacklistPage() {
  const lift = useLift()
  return (
    <ListPage<BlacklistEntry>
      description={blacklistList}
      add={{ text: '加入黑名单', form: (close) => <BlacklistForm onSaved={close} /> }}
      rowActions={(entry) => [
        {
          key: 'lift',
          label: '解除',
          unavailable: entry.state === HOLDING ? undefined : '该记录已结束',
          onRun: () => lift('解除黑名单', [entry], () => undefined),
        },
      ]}
      batchActions={[{ key: 'lift', label: '批量解除', onRun: (rows, done) => lift('批量解除', rows.filter(({ state }) => state === HOLDING), done) }]}
      drawer={(id, close) => <BlacklistDrawer id={id} onClose={close} />}
    />
  )
}

/** Shows an entry with its evidence, and lifts it. */
function BlacklistDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const lift = useLift()
  return (
    <RecordDrawer<BlacklistEntry>
      id={id}
      query={useQuery(blacklistInfo(id))}
      category="blacklist-entry"
      words={{ untitled: '黑名单记录', failure: '黑名单记录加载失败', subject: '这条记录', main: '证据' }}
      title={calledOf}
      actions={(entry) =>
        entry.state === HOLDING && (
          <Button size="small" onClick={() => lift('解除黑名单', [entry], () => undefined)}>
            解除
          </Button>
        )
      }
      facts={(entry) => [
        ...factsOf(blacklistList, entry, 'state', 'scope', 'kind', 'areaName', 'createdAt', 'until', 'addedBy'),
        ...(entry.accounts > 1 ? [{ name: '拉黑的账户', value: `${entry.accounts} 个` }] : []),
        ...(entry.closedAt === null ? [] : factsOf(blacklistList, entry, 'closedAt', 'liftedBy', 'liftReason')),
        {
          name: '姓名 · 手机号',
          whole: true,
          value: (
            <Unmasked
              key={entry.id}
              of={calledOf(entry)}
              masked={[entry.nameMasked, entry.phoneMasked]}
              reveal={(options) => command.post(`${BLACKLIST_PATH}/unmask`)({ id: entry.id }, options).then(({ name, phone }) => [name, phone])}
            />
          ),
        },
        { name: '拉黑原因', value: entry.reason, whole: true },
      ]}
      onClose={onClose}
    >
      {(_, entry) => <Evidence entry={entry} />}
    </RecordDrawer>
  )
}
