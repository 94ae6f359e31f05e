import { useQuery } from '@tanstack/react-query'
import { Empty, Table } from 'antd'
import { Link } from 'react-router-dom'
import { Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { formatMoney } from '@/kit/format'
import type { Filters } from '@/kit/list/description'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import { Dot } from '@/kit/StateTag'
import { type Account, accountsOf, areaEntriesLink, areaText, closing, type DailyArea, dayAreas, dayInfo, entriesLink, formulas, perBike } from './daily'
import './daily.css'

interface DayDrawerProps {
  /** `YYYY-MM-DD`. */
  day: string
  /** Whose money, in words. */
  whose: string
  /** What the list is asked for. */
  asked: Filters
  onClose(): void
}

/** A day: how each sum comes about to the cent, area by area, and the way to its entries. */
export function DayDrawer({ day, whose, asked, onClose }: DayDrawerProps) {
  const query = useQuery(dayInfo(day, asked))
  const areas = useQuery(dayAreas(day, asked))
  const told = query.data
  const count = (value: number) => <span className="figure">{value.toLocaleString('zh-CN')}</span>
  return (
    <FormDrawer wide title={`${day} 每日统计`} loading={query.isLoading} onClose={onClose} extra={<Link to={entriesLink(day, asked)}>查看当日明细</Link>}>
      <LoadFailure query={query} text="每日统计加载失败" />
      {told === null && <Empty description="没有这一天的统计" />}
      {told && (
        <>
          <Facts
            facts={[
              { name: '结账', value: <Dot {...closing(told.isClosed)} /> },
              { name: '范围', value: whose },
              { name: '订单', value: count(told.orders) },
              { name: '其中短时', value: count(told.shortOrders) },
              { name: '日均上架车辆', value: <span className="figure">{perBike(told.bikes)}</span> },
              { name: '车均单量', value: <span className="figure">{perBike(told.ordersPerBike)}</span> },
              { name: '车均流水（元）', value: <span className="figure">{perBike(told.duePerBike)}</span> },
              { name: '赠送成本（元）', value: <Money cents={told.giftCents} /> },
              { name: '人工调整（元）', value: <Money cents={told.adjustmentCents} /> },
              { name: '核销（元）', value: <Money cents={told.writtenOffCents} /> },
              { name: '跨日下调（元）', value: <Money cents={told.loweredPastCents} /> },
              { name: '押金收 / 退（元）', value: `${formatMoney(told.depositPaidCents)} / ${formatMoney(told.depositBackCents)}` },
              {
                name: '补记',
                value: `${told.lateEntries.toLocaleString('zh-CN')} 笔，应收 ${formatMoney(told.lateDueCents)} 元，收益 ${formatMoney(told.lateRevenueCents)} 元`,
                whole: true,
              },
            ]}
          />
          <p className="weak">{formulas.late}</p>
          <div className="daily-accounts">
            {accountsOf(told).map((account) => (
              <AccountTable key={account.title} account={account} />
            ))}
          </div>
          <h3>分服务区</h3>
          <LoadFailure query={areas} text="分服务区统计加载失败" />
          <Table<DailyArea>
            size="small"
            rowKey="id"
            loading={areas.isLoading}
            dataSource={areas.data?.rows ?? []}
            pagination={{ pageSize: 10, hideOnSinglePage: true, showSizeChanger: false }}
            scroll={{ x: 'max-content' }}
            columns={[
              { title: '服务区', render: (_, row) => <Link to={areaEntriesLink(day, row)}>{areaText(row)}</Link> },
              { title: '订单', align: 'right', render: (_, row) => count(row.orders) },
              { title: '车均单量', align: 'right', render: (_, row) => <span className="figure">{perBike(row.ordersPerBike)}</span> },
              { title: '应收 A（元）', align: 'right', render: (_, row) => <Money cents={row.dueCents} /> },
              { title: '实收总额（元）', align: 'right', render: (_, row) => <Money cents={row.receivedCents} /> },
              { title: '退款（元）', align: 'right', render: (_, row) => <Money cents={row.refundsCents} /> },
              { title: '总收益（元）', align: 'right', render: (_, row) => <Money cents={row.revenueCents} /> },
            ]}
          />
        </>
      )}
    </FormDrawer>
  )
}

/** A sum below its parts. */
function AccountTable({ account: { title, formula, cents, parts } }: { account: Account }) {
  return (
    <table aria-label={title}>
      <caption>
        {title}
        <small className="weak">{formula}</small>
      </caption>
      <tbody>
        {parts.map((part) => (
          <tr key={part.title}>
            <th scope="row">{part.title}</th>
            <td>
              <Money cents={part.cents} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{title}</th>
          <td>
            <Money cents={cents} />
          </td>
        </tr>
      </tfoot>
    </table>
  )
}
