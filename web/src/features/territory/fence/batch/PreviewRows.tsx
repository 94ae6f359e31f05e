import { Table } from 'antd'
import { Changes } from '@/kit/versions/Changes'
import { countOf, saidOfChange } from '../stops'
import { StopTally } from '../StopTally'
import { type BatchPreview, changedRows, changesOf, type PreviewedRow } from './batches'
import './batch.css'

const PAGE = 10

/** What becomes of a parking place: what it would say instead, or why it stays as it is. */
function Becomes({ row }: { row: PreviewedRow }) {
  if (row.refused !== null) return <span className="batch-refused">{row.refused}</span>
  if (row.after === null) return <span className="weak">已是这样，不用改</span>
  return <Changes changes={changesOf(row)} />
}

/** What the stops about a parking place would be judged as. */
function stopsText({ stops }: PreviewedRow): string {
  if (stops === null) return ''
  const count = countOf(stops.before)
  if (count === 0) return '没有停车'
  return `${count.toLocaleString('zh-CN')} 次，${saidOfChange(stops) ?? '结果不变'}`
}

/** What a change would do: in sum, of the stops of the last days, and to each. */
export function PreviewRows({ preview }: { preview: BatchPreview }) {
  const { rows, days, stops, capped } = preview
  const changed = changedRows(rows).length
  const refused = rows.filter((row) => row.refused !== null).length
  const same = rows.length - changed - refused
  const count = countOf(stops.before)
  return (
    <section aria-label="修改预览" className="batch-preview">
      <p role="status">
        将修改 <strong className="figure">{changed}</strong> 个
        {same > 0 && `，${same} 个已是这样`}
        {refused > 0 && <span className="batch-refused">，{refused} 个不能修改</span>}
      </p>
      <p>
        {count === 0
          ? `近 ${days} 天没有车在这些站点附近停过。`
          : `近 ${days} 天在附近停车 ${count.toLocaleString('zh-CN')} 次${capped ? '（只看了最近的，其余未算）' : ''}，若按修改后判断：${saidOfChange(stops) ?? '结果不变'}。`}
        <span className="weak"> 停放上限、满桩禁停和还车凭证不影响这里的判断。</span>
      </p>
      {count > 0 && <StopTally of={stops} then="修改后" />}
      <Table<PreviewedRow>
        size="small"
        rowKey="id"
        dataSource={[...rows].toSorted((a, b) => Number(b.refused !== null) - Number(a.refused !== null))}
        pagination={rows.length > PAGE ? { pageSize: PAGE, size: 'small', showSizeChanger: false } : false}
        columns={[
          { title: '停车区', key: 'name', width: 180, render: (_, row) => row.name || <span className="weak">{row.id}</span> },
          { title: '修改', key: 'becomes', render: (_, row) => <Becomes row={row} /> },
          { title: `近 ${days} 天停车`, key: 'stops', width: 220, responsive: ['sm'], render: (_, row) => <span className="weak">{stopsText(row)}</span> },
        ]}
      />
    </section>
  )
}
