import { Button, Popover, Table } from 'antd'
import { formatMoney, formatTime } from '@/kit/format'
import { type AnomalySummary, limitsText, sumsText } from './anomaly'

type Day = AnomalySummary['days'][number]

const columns = [
  { key: 'dayAt', title: '日期', render: (_: unknown, { dayAt }: Day) => <span className="figure">{formatTime(dayAt).slice(0, 10)}</span> },
  { key: 'closed', title: '结束订单', align: 'right' as const, render: (_: unknown, { closed }: Day) => <span className="figure">{closed}</span> },
  { key: 'closedBySystem', title: '系统自动', align: 'right' as const, render: (_: unknown, { closedBySystem }: Day) => <span className="figure">{closedBySystem}</span> },
  { key: 'savedCents', title: '为用户减免（元）', align: 'right' as const, render: (_: unknown, { savedCents }: Day) => <span className="figure">{formatMoney(savedCents)}</span> },
]

/** What counts as strange here, what was ended lately and what that saved, day by day. */
export function AnomalySums({ summary }: { summary: AnomalySummary }) {
  return (
    <div className="anomaly-sums weak">
      <span>
        {sumsText(summary)}
        {summary.days.length > 0 && (
          <Popover
            trigger="click"
            placement="bottomLeft"
            content={<Table<Day> aria-label="每日结束与减免" size="small" rowKey="dayAt" columns={columns} dataSource={[...summary.days]} pagination={false} scroll={{ y: 320 }} />}
          >
            <Button type="link" size="small">
              每日明细
            </Button>
          </Popover>
        )}
      </span>
      <span>列入条件：{limitsText(summary)}</span>
    </div>
  )
}
