import { useQuery } from '@tanstack/react-query'
import { Empty, Skeleton } from 'antd'
import { useFollow } from '@/kit/list/useFollow'
import { LoadFailure } from '@/kit/LoadFailure'
import { DEVICES_PATH, devicesOf, inOrder } from './operatorDevice'
import { DeviceLine } from './DeviceLine'
import './operatorDevice.css'

/** The devices of one person, those that wait first. */
export function OperatorDevices({ phone, name }: { phone: string; name: string }) {
  const query = useQuery(devicesOf(phone))
  const { marked } = useFollow('operator_device', [DEVICES_PATH])
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 4 }} />
  if (query.isError) return <LoadFailure query={query} text="设备加载失败" />
  const devices = inOrder(query.data ?? [])
  if (devices.length === 0) {
    return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={`${name} 还没有在任何设备上登录过`} />
  }
  return (
    <ul className="device-list" aria-label={`${name}的登录设备`}>
      {devices.map((device) => (
        <DeviceLine key={device.id} device={device} marked={marked.has(device.id)} />
      ))}
    </ul>
  )
}
