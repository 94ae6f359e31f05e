import { DownloadOutlined, ReloadOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Alert, App, Button, Empty, Progress, Select, Skeleton, Space, Table, type TableColumnType } from 'antd'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { api, command } from '@/api/client'
import { EMPTY } from '@/kit/format'
import { TOO_MANY } from '@/kit/jobs/jobs'
import { exportByServer, startExport } from '@/kit/list/export'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit, usePermit } from '@/kit/Permit'
import { Dot } from '@/kit/StateTag'
import { ink } from '@/kit/theme'
import { Time } from '@/kit/Time'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { BIKES_PATH, DELIVERY_PATH, type Delivery, type DeliveryBike, deliveryOf, type DeliveryState, deliveryTag, isDone, lags, percentOf, progressText, refusalText, REFUSED, UNANSWERED } from './delivery'
import './delivery.css'

const PAGE = 10
const EVERY_MS = 5_000
const COLUMNS = ['carId', 'areaName', 'state', 'refusedCode', 'sinceAt', 'edition', 'told', 'tries', 'sentAt', 'heardAt', 'imei']

/** How far the fences of an area have come to its bikes, which lag, and the way to send them again. */
export function DeliveryPanel({ areaId, name }: { areaId: string; name: string }) {
  const query = useQuery(deliveryOf(areaId))
  const { data } = query
  if (query.isLoading) return <Skeleton active />
  if (!data) return query.isError ? <LoadFailure query={query} text="下发进度加载失败" /> : <Empty description="这个服务区不在您的数据范围内" />
  return (
    <>
      <Figure delivery={data} />
      {!isDone(data) && <Again delivery={data} name={name} />}
      {data.bikes > 0 && <Bikes areaId={areaId} name={name} delivery={data} />}
    </>
  )
}

function Figure({ delivery }: { delivery: Delivery }) {
  const { edition, sinceAt, fences, bytes, parts } = delivery
  return (
    <>
      {parts === 0 && <Alert className="notice" type="error" showIcon title="围栏太多，设备装不下，没有下发；请减少围栏或拆分服务区" />}
      <div className="delivery-figure">
        <b className="figure" aria-live="polite">
          {progressText(delivery)}
        </b>
        {edition !== null && delivery.bikes > 0 && (
          <Progress percent={percentOf(delivery)} strokeColor={isDone(delivery) ? ink.good : ink.warning} aria-label="围栏下发进度" />
        )}
        <p className="weak">
          {edition === null ? (
            '服务区的边界或围栏生效后会自动下发给区内车辆的中控'
          ) : (
            <>
              围栏版本 <span className="figure">{edition}</span>，自 <Time at={sinceAt} /> 起；含 {(fences ?? 0).toLocaleString()} 个围栏和服务区边界，
              {((bytes ?? 0) / 1000).toFixed(1)} kB，分 {parts ?? 0} 条下发。车辆上报同一版本才算已确认。
            </>
          )}
        </p>
      </div>
    </>
  )
}

function Again({ delivery, name }: { delivery: Delivery; name: string }) {
  const { opAreaId, bikes, acknowledged, askedAt } = delivery
  const again = useAskedCommand({ run: command.post('/fence/delivery/again'), stale: [[DELIVERY_PATH], [BIKES_PATH]], done: '已要求重新下发' })
  const lag = bikes - acknowledged
  const consequence = `向还没有确认的 ${lag.toLocaleString()} 辆车立即重新下发，包括拒绝过的；离线的车上线后收到。已确认的车不受影响。`
  return (
    <Permit need="0503||0504||0505">
      <Space className="delivery-again" wrap>
        <Button icon={<ReloadOutlined />} onClick={() => again({ opAreaId }, { act: '重新下发', name, consequence })}>
          重新下发
        </Button>
        {askedAt !== null && (
          <span className="weak">
            上次要求于 <Time at={askedAt} />
          </span>
        )}
      </Space>
    </Permit>
  )
}

function Bikes({ areaId, name, delivery }: { areaId: string; name: string; delivery: Delivery }) {
  const { message } = App.useApp()
  const onMap = usePermit('0301')
  const [state, setState] = useState<DeliveryState | null>(null)
  const [page, setPage] = useState(1)
  const filter = { opAreaId: areaId, ...(state === null ? { lagging: true } : { state }) }
  const query = useQuery({
    queryKey: [BIKES_PATH, filter, page],
    queryFn: ({ signal }) => api.get(BIKES_PATH, { ...filter, page, pageSize: PAGE }, { signal, quiet: true }),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  })
  const choose = (next: DeliveryState | null) => {
    setState(next)
    setPage(1)
  }
  const download = () => {
    const begun = startExport(`fence-delivery-${areaId}`, `围栏下发-${name}`, (work) => exportByServer(BIKES_PATH, '围栏下发', filter, COLUMNS, work))
    if (!begun) void message.info(TOO_MANY)
  }
  const options = [
    { value: '', label: '未确认的车' },
    ...lags(delivery).map(([value, count]) => ({ value: String(value), label: `${deliveryTag(value).label}（${count.toLocaleString()}）` })),
    { value: '0', label: `已确认（${delivery.acknowledged.toLocaleString()}）` },
  ]
  const columns: TableColumnType<DeliveryBike>[] = [
    {
      title: '车辆编号',
      width: 130,
      render: (_, { carId }) => (onMap ? <Link to={`/vehicle/operation-map?carId=${encodeURIComponent(carId)}`}>{carId}</Link> : carId),
    },
    { title: '状态', width: 120, render: (_, bike) => <Dot {...deliveryTag(bike.state)} /> },
    { title: '原因', render: (_, bike) => reasonOf(bike) },
    { title: '自何时起', width: 172, render: (_, { sinceAt }) => (sinceAt === null ? EMPTY : <Time at={sinceAt} />) },
  ]
  return (
    <section aria-label="各车的下发情况">
      <div className="delivery-bar">
        <Select
          aria-label="按下发状态筛选"
          value={state === null ? '' : String(state)}
          options={options}
          onChange={(value: string) => choose(value === '' ? null : (Number(value) as DeliveryState))}
        />
        <Button type="text" icon={<DownloadOutlined />} onClick={download}>
          导出
        </Button>
      </div>
      {query.isError && !query.data ? (
        <LoadFailure query={query} text="车辆加载失败" />
      ) : (
        <Table<DeliveryBike>
          size="small"
          rowKey="carId"
          loading={query.isLoading}
          columns={columns}
          dataSource={query.data?.rows ?? []}
          scroll={{ x: 560 }}
          pagination={{ current: page, pageSize: PAGE, total: query.data?.count ?? 0, onChange: setPage, showSizeChanger: false, hideOnSinglePage: true }}
          locale={{ emptyText: query.isLoading ? ' ' : <Empty description={state === null ? '所有车辆都已确认' : '没有这样的车辆'} /> }}
        />
      )}
    </section>
  )
}

/** Why a bike lags, in a few words. */
function reasonOf({ state, refusedCode, tries, told }: DeliveryBike): string {
  const held = told === null || told === 0 ? '车上没有围栏' : `车上版本尾号 ${told}`
  if (state === REFUSED) return refusalText(refusedCode)
  if (state === UNANSWERED) return `已发 ${tries ?? 0} 次，${held}`
  return told === null ? '上报中没有围栏版本' : held
}
