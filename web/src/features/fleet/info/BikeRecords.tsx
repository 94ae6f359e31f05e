import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { Empty, Skeleton, Table, type TableColumnsType } from 'antd'
import { Link } from 'react-router-dom'
import { LoadFailure } from '@/kit/LoadFailure'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { commandKindLabels, commandStateLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { CancelWaiting } from '../operation-map/CancelWaiting'
import { isWaiting } from '../operation-map/commands'
import { answeredText, stateText, talkTag, type DeviceTalk } from '../device-log/deviceLog'
import { actorText, changesText, eventTag, type VehicleEvent } from '../vehicle-log/vehicleLog'
import { type BikeCommand, type BikeOrder, bindingsOf, commandsOf, DAYS, lifeOf, type NewestOf, orderStateOf, ordersOf, ROWS, talkOf } from './records'

interface RecordsProps<Row> {
  query: UseQueryOptions<NewestOf<Row>>
  rowKey(row: Row): string
  columns: TableColumnsType<Row>
  label: string
  none: string
  /** Where all of them are. */
  rest?: { to: string; text: string }
}

/** The newest rows of something; the list has the others. */
function Newest<Row extends object>({ query: asked, rowKey, columns, label, none, rest }: RecordsProps<Row>) {
  const query = useQuery(asked)
  if (query.isLoading) return <Skeleton active />
  const rows = query.data?.rows ?? []
  return (
    <>
      <LoadFailure query={query} text={`${label}加载失败`} />
      {query.data && rows.length === 0 && <Empty description={none} />}
      {rows.length > 0 && <Table<Row> aria-label={label} size="small" rowKey={rowKey} columns={columns} dataSource={[...rows]} pagination={false} scroll={{ x: 'max-content' }} />}
      {rest && (
        <p className="vehicle-info-rest weak">
          这里显示最近 {ROWS} 条，<Link to={rest.to}>{rest.text}</Link>
        </p>
      )}
    </>
  )
}

const at = (value: number | null | undefined) => <Time at={value ?? null} />

const orderColumns: TableColumnsType<BikeOrder> = [
  { key: 'orderId', title: '订单号', render: (_, row) => <Link to={`/user-order?open=${row.orderId}`}>{row.orderId}</Link> },
  { key: 'state', title: '状态', render: (_, row) => <Dot {...orderStateOf(row)} /> },
  { key: 'openedAt', title: '下单时间', render: (_, row) => at(row.openedAt) },
  { key: 'endAt', title: '结束时间', render: (_, row) => at(row.endAt) },
]

export function BikeOrders({ carId }: { carId: string }) {
  const to = `/user-order?keyword=${encodeURIComponent(carId)}`
  return <Newest<BikeOrder> query={ordersOf(carId)} rowKey={(row) => row.orderId} columns={orderColumns} label="订单" none="这辆车没有订单" rest={{ to, text: '全部订单' }} />
}

const commandColumns: TableColumnsType<BikeCommand> = [
  { key: 'requestedAt', title: '下发时间', render: (_, row) => at(row.requestedAt) },
  { key: 'kind', title: '指令', render: (_, row) => labelOf(commandKindLabels, row.kind) + (row.firmware ? ` ${row.firmware}` : '') },
  { key: 'state', title: '结果', render: (_, row) => (isWaiting(row) ? <>排队至 {at(row.waitUntil)}</> : labelOf(commandStateLabels, row.state) + (row.late ? '（迟到）' : '')) },
  { key: 'ack', title: '应答用时', render: (_, row) => (typeof row.ackAt === 'number' ? `${((row.ackAt - row.requestedAt) / 1000).toFixed(2)} 秒` : '') },
  { key: 'by', title: '操作人', render: (_, row) => row.by },
  { key: 'reason', title: '原因', render: (_, row) => row.reason },
  { key: 'act', title: '', render: (_, row) => isWaiting(row) && <CancelWaiting commandId={row.id} what={labelOf(commandKindLabels, row.kind)} /> },
]

export function BikeCommands({ carId }: { carId: string }) {
  return <Newest<BikeCommand> query={commandsOf(carId)} rowKey={(row) => row.id} columns={commandColumns} label="指令" none="还没有下发过指令" />
}

const eventColumns: TableColumnsType<VehicleEvent> = [
  { key: 'at', title: '时间', render: (_, row) => at(row.at) },
  { key: 'event', title: '事件', render: (_, row) => <Dot {...eventTag(row)} /> },
  { key: 'content', title: '内容', render: (_, row) => row.content },
  { key: 'changes', title: '变化', render: (_, row) => changesText(row.changes) },
  { key: 'actor', title: '操作人', render: (_, row) => actorText(row) },
]

export function BikeLife({ carId }: { carId: string }) {
  const to = `/operation/vehicle-log?carId=${encodeURIComponent(carId)}`
  return (
    <Newest<VehicleEvent>
      query={lifeOf(carId)}
      rowKey={(row) => row.id}
      columns={eventColumns}
      label="车辆日志"
      none={`最近 ${DAYS} 天没有记录`}
      rest={{ to, text: '打开车辆日志' }}
    />
  )
}

export function BikeBindings({ carId }: { carId: string }) {
  return <Newest<VehicleEvent> query={bindingsOf(carId)} rowKey={(row) => row.id} columns={eventColumns} label="绑定记录" none={`最近 ${DAYS} 天没有绑定或解绑`} />
}

const talkColumns: TableColumnsType<DeviceTalk> = [
  { key: 'at', title: '时间', render: (_, row) => at(row.at) },
  { key: 'kind', title: '类型', render: (_, row) => <Dot {...talkTag(row)} /> },
  { key: 'content', title: '内容', render: (_, row) => row.content },
  { key: 'state', title: '结果', render: (_, row) => stateText(row.command) },
  { key: 'answered', title: '应答用时', render: (_, row) => (row.command ? answeredText(row.command) : '') },
]

export function BikeTalk({ carId }: { carId: string }) {
  const to = `/operation/device-log?carId=${encodeURIComponent(carId)}`
  return (
    <Newest<DeviceTalk> query={talkOf(carId)} rowKey={(row) => row.id} columns={talkColumns} label="设备日志" none={`最近 ${DAYS} 天没有记录`} rest={{ to, text: '打开设备日志' }} />
  )
}
