import { Button, Space, Tabs } from 'antd'
import { useState } from 'react'
import { HttpError, Refusal } from '@/api/client'
import type { AnyList } from '@/kit/list/description'
import type { ListAsked } from '@/kit/list/ListPage'
import { Photos } from '@/kit/Photos'
import { Keys } from '@/kit/review/Keys'
import { QueueList } from '@/kit/review/QueueList'
import { ReasonDialog } from '@/kit/review/ReasonDialog'
import { type CaseView, type Entry, type ReviewQueue, STALE } from '@/kit/review/review'
import { ReviewPage } from '@/kit/review/ReviewPage'
import { stateStyle } from '@/kit/theme'
import { Time } from '@/kit/Time'
import { State } from './State'

interface SampleCase {
  id: string
  name: string
  state: 0 | 1 | 2
  since_ms: number
  by: string
  version: number
}

const HOUR_MS = 3_600_000
const BEGUN_MS = Date.now()
const labels = ['待审核', '已通过', '未通过'] as const
const colors = [stateStyle[4].color, stateStyle[0].color, stateStyle[5].color] as const
const phrases = ['照片模糊，请重新拍摄', '信息与填写不一致', '证件已过期']
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+P+/HgAFhAJ/wlseKgAAAABJRU5ErkJggg=='
const picture = () => Promise.resolve(new Blob([Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0))], { type: 'image/png' }))

/** The fourth is decided by another at the moment when it is decided here; the second one changes first. */
let cases: readonly SampleCase[] = Array.from({ length: 28 }, (_, index) => ({
  id: String(7000 + index),
  name: index % 9 === 4 ? '名字很长的示例申请人，一行放不下' : `示例申请人 ${index + 1}`,
  state: index < 24 ? 0 : index % 2 === 0 ? 1 : 2,
  since_ms: BEGUN_MS - (30 - index) * HOUR_MS,
  by: index < 24 ? '' : '李审',
  version: 1,
}))

const put = (id: string, change: Partial<SampleCase>) => {
  cases = cases.map((one) => (one.id === id ? { ...one, ...change, version: one.version + 1 } : one))
}

function decide(id: string, version: number, state: 1 | 2): Promise<void> {
  const at = cases.findIndex((one) => one.id === id)
  if (at === 3 && cases[at]?.state === 0) put(id, { state: 2, by: '王审' })
  if (at === 1 && version === 1) put(id, {})
  const known = cases[at]
  if (known?.version !== version) return Promise.reject(new Refusal(STALE, '已被他人修改'))
  put(id, { state, by: '您' })
  return Promise.resolve()
}

const list: AnyList<SampleCase> & { tabs: NonNullable<AnyList<SampleCase>['tabs']> } = {
  id: 'gallery-review',
  title: '审核队列',
  purpose: '队列、事项、决定、下一条；第 2 条在您决定前有更新，第 4 条被他人先行处理。',
  path: '/kit-gallery/review',
  rowKey: ({ id }) => id,
  emptyText: '没有待审核的事项',
  tabs: { name: 'case', label: '审核状态', options: labels.map((label, value) => ({ value: String(value), label })) },
  filters: [{ kind: 'text', name: 'caseName', label: '关键词', placeholder: '申请人' }],
  columns: [{ key: 'name', title: '申请人', text: ({ name }) => name }],
}

const entryOf = ({ name, state, since_ms }: SampleCase): Entry => ({
  title: name,
  lines: ['示例学校', '138****0001 · 示例服务区'],
  state: { label: labels[state], color: colors[state] },
  since_ms,
  waits: state === 0,
})

const queue: ReviewQueue<SampleCase> = { list, waiting: '0', limit_ms: 24 * HOUR_MS, entry: entryOf }

function source({ filters, page, pageSize }: ListAsked) {
  const left = cases.filter(({ name, state }) => name.includes(filters.caseName ?? '') && (filters.case === undefined || String(state) === filters.case))
  return Promise.resolve({ rows: left.slice((page - 1) * pageSize, page * pageSize), count: left.length })
}

const view: CaseView<SampleCase> = {
  category: 'role',
  words: { untitled: '示例事项', failure: '示例事项加载失败', subject: '这个申请' },
  overtaken: [],
  load: (id) => {
    const found = cases.find((one) => one.id === id)
    return found ? Promise.resolve(found) : Promise.reject(new HttpError(404, '记录不存在'))
  },
  title: ({ name }) => name,
  outcome: ({ state, by }) => (state === 0 ? null : { act: state === 1 ? '通过' : '驳回', by, at_ms: BEGUN_MS }),
  facts: ({ id, since_ms, version }) => [
    { name: '编号', value: id },
    { name: '版本', value: String(version) },
    { name: '提交时间', value: <Time at={since_ms} /> },
  ],
  decisions: ({ id, version, state }) => {
    const unavailable = state === 0 ? undefined : `申请${labels[state]}`
    return [
      { key: 'pass', label: '通过', hotkey: 'a', primary: true, unavailable, send: () => decide(id, version, 1) },
      {
        key: 'fail',
        label: '驳回',
        hotkey: 'r',
        danger: true,
        unavailable,
        reason: { label: '驳回原因', max: 60, phrases, consequence: '用户会看到原因。' },
        send: () => decide(id, version, 2),
      },
    ]
  },
  children: () => <Photos photos={[{ id: '1', name: '证件正面' }]} of={['gallery', 'review']} load={picture} none="没有照片" />,
}

const refetch = () => Promise.resolve()
const waiting = (hours: number): SampleCase => ({ id: String(hours), name: `等待 ${hours} 小时`, state: 0, since_ms: BEGUN_MS - hours * HOUR_MS, by: '', version: 1 })
const lists = [
  { name: '加载中', data: undefined, isLoading: true, isError: false },
  { name: '加载失败', data: undefined, isLoading: false, isError: true },
  { name: '空', data: { rows: [] }, isLoading: false, isError: false },
  { name: '等待时间', data: { rows: [waiting(1), waiting(13), waiting(30), { ...waiting(2), state: 1 as const }] }, isLoading: false, isError: false },
]

/** A review queue in every state. */
export function ReviewStates() {
  const [shown, setShown] = useState<'reason' | 'keys' | null>(null)
  return (
    <section className="panel gallery-part" aria-label="审核队列">
      <State name="审核队列">
        <ReviewPage queue={queue} view={view} source={source} />
      </State>
      <State name="队列">
        <Tabs
          items={lists.map(({ name, ...query }) => ({
            key: name,
            label: name,
            children: (
              <QueueList
                query={{ ...query, error: new HttpError(500, ''), refetch }}
                rowKey={({ id }) => id}
                entry={entryOf}
                limit_ms={24 * HOUR_MS}
                now_ms={BEGUN_MS}
                open={null}
                emptyText="没有待审核的事项"
                onOpen={() => undefined}
              />
            ),
          }))}
        />
      </State>
      <State name="弹窗">
        <Space>
          <Button onClick={() => setShown('reason')}>原因与常用语</Button>
          <Button onClick={() => setShown('keys')}>快捷键</Button>
        </Space>
        {shown === 'reason' && (
          <ReasonDialog
            title="驳回「示例申请人」"
            act="驳回"
            asked={{ label: '驳回原因', max: 60, phrases, consequence: '用户会看到原因。' }}
            sending={false}
            onSend={() => setShown(null)}
            onClose={() => setShown(null)}
          />
        )}
        {shown === 'keys' && <Keys decisions={[{ key: 'pass', label: '通过', hotkey: 'a' }, { key: 'fail', label: '驳回', hotkey: 'r' }]} onClose={() => setShown(null)} />}
      </State>
    </section>
  )
}
