import { useQuery } from '@tanstack/react-query'
import { Space } from 'antd'
import { Link } from 'react-router-dom'
import { Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { EMPTY } from '@/kit/format'
import { factsOf } from '@/kit/list/cells'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit } from '@/kit/Permit'
import { actorText, eventTag, type LifeChange, traceAddress, type VehicleEvent, vehicleEvent, vehicleLog } from './vehicleLog'
import '../event.css'

/** The codes of the operation map and of orders. */
const [MAP, ORDER] = ['0301', '1601'] as const
const NOTHING = '（无）'

/** One event of a bike's life: in words, before and after, who did it, and what leads on from it. */
export function VehicleEventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(vehicleEvent(id))
  const event = query.data
  return (
    <FormDrawer title={event ? `${eventTag(event).label} · ${event.carId}` : '车辆事件'} loading={query.isLoading} onClose={onClose}>
      <LoadFailure query={query} text="车辆事件加载失败" />
      {event && <EventBody event={event} />}
    </FormDrawer>
  )
}

function EventBody({ event }: { event: VehicleEvent }) {
  const { carId, orderId, traceId } = event
  return (
    <>
      <p className="event-content">{event.content}</p>
      <Changes changes={event.changes} />
      <Facts
        facts={[
          ...factsOf(vehicleLog, event, 'at', 'carId', 'imei', 'areaName'),
          { name: '操作人', value: actorText(event) },
          { name: '日志编号', value: <span className="figure">{event.id}</span> },
          { name: '订单号', whole: true, value: <span className="figure">{orderId ?? EMPTY}</span> },
          { name: '链路编号', whole: true, value: traceId ? <code>{traceId}</code> : '没有：由系统规则产生，不属于任何一次请求' },
        ]}
      />
      <Space wrap className="event-links">
        {traceId && <Link to={traceAddress(event)}>打开链路</Link>}
        {orderId && (
          <Permit need={ORDER}>
            <Link to={`/user-order-detail?orderId=${orderId}`}>查看订单</Link>
          </Permit>
        )}
        <Permit need={MAP}>
          <Link to={`/vehicle/operation-map?carId=${encodeURIComponent(carId)}`}>在地图上查看车辆</Link>
        </Permit>
      </Space>
    </>
  )
}

function Changes({ changes }: { changes: readonly LifeChange[] }) {
  if (changes.length === 0) return null
  return (
    <table className="event-changes">
      <thead>
        <tr>
          <th scope="col">字段</th>
          <th scope="col">变更前</th>
          <th scope="col">变更后</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, from, to }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>{from ? <del>{from}</del> : <span className="weak">{NOTHING}</span>}</td>
            <td>{to ? <ins>{to}</ins> : <span className="weak">{NOTHING}</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
