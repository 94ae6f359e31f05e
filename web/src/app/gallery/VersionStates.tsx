import { Button } from 'antd'
import { useState } from 'react'
import { PublishVersion } from '@/kit/versions/PublishVersion'
import { rollBackTo, VersionList } from '@/kit/versions/VersionList'
import { differenceOf, termText } from '@/kit/versions/versions'
import { State } from './State'

const NOW = Date.UTC(2026, 10, 21, 4)
const DAY_MS = 86_400_000
const rows = [
  { dataVersion: 4, capacity: 60, withdrawn: false, fromAt: NOW + DAY_MS, counted: [[NOW + DAY_MS, null]] },
  { dataVersion: 3, capacity: 80, withdrawn: true, fromAt: NOW + 2 * DAY_MS, counted: [] },
  { dataVersion: 2, capacity: 50, withdrawn: false, fromAt: NOW - DAY_MS, counted: [[NOW - DAY_MS, NOW + DAY_MS]] },
  { dataVersion: 1, capacity: 30, withdrawn: false, fromAt: NOW - 9 * DAY_MS, counted: [[NOW - 9 * DAY_MS, NOW - DAY_MS]] },
]
type Row = (typeof rows)[number]

const counted = (row: Row) => row
const changes = (row: Row, before: Row | undefined) => (before ? differenceOf('停放上限', String(before.capacity), String(row.capacity)) : ['首次发布'])

/** Versions of a subject in every state, and the question that publishes one. */
export function VersionStates() {
  const [said, setSaid] = useState('还没有操作')
  const [compared, setCompared] = useState<number | null>(null)
  const [publishing, setPublishing] = useState(false)
  const list = { at_ms: NOW, countedOf: counted, changesOf: changes, compared, onCompare: setCompared, emptyText: '还没有发布过' }
  return (
    <section className="panel gallery-part" aria-label="版本">
      <h2>版本</h2>
      <State name="没有版本">
        <VersionList {...list} rows={[]} />
      </State>
      <State name="待生效、已撤回、生效中、已失效">
        <VersionList
          {...list}
          rows={rows}
          aside={({ dataVersion }) => dataVersion === 2 && <span className="weak">批量修改：国庆扩容</span>}
          onRollBack={(number) => setSaid(rollBackTo(number, '示例', '').act)}
          onWithdraw={(number) => setSaid(`撤回第 ${number} 版`)}
        />
        <p>{said}</p>
      </State>
      <State name="只能查看">
        <VersionList {...list} rows={rows.slice(2)} />
      </State>
      <State name="发布">
        <Button onClick={() => setPublishing(true)}>发布</Button>
        {publishing && (
          <PublishVersion
            title="发布示例"
            simulation={<p>近 7 天的结果不变。</p>}
            ending="到时自动失效；留空则一直有效"
            publishing={false}
            onPublish={(term) => {
              setSaid(termText(term, '结束'))
              setPublishing(false)
            }}
            onClose={() => setPublishing(false)}
          >
            发布后成为第 5 版。
          </PublishVersion>
        )}
      </State>
    </section>
  )
}
