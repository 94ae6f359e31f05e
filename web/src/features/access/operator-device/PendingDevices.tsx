import { SafetyCertificateOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Collapse } from 'antd'
import { failureText } from '@/api/client'
import { useFollow } from '@/kit/list/useFollow'
import { allDevices, DEVICES_PATH, LIST_MAX, waiting } from './operatorDevice'
import { DeviceLine } from './DeviceLine'
import './operatorDevice.css'

/** How many devices wait to be let in, live, as a line that opens to them; nothing to see while none does. */
export function PendingDevices() {
  const query = useQuery(allDevices)
  const { marked } = useFollow('operator_device', [DEVICES_PATH])
  if (query.isError) {
    return (
      <Alert
        className="pending-devices"
        type="warning"
        showIcon
        title={failureText(query.error, '待授权设备加载失败')}
        action={
          <Button size="small" onClick={() => void query.refetch()}>
            重试
          </Button>
        }
      />
    )
  }
  const devices = query.data ?? []
  const pending = waiting(devices)
  if (pending.length === 0) return null
  return (
    <Collapse
      className="pending-devices"
      size="small"
      items={[
        {
          key: 'pending',
          label: (
            <span id="pending-title">
              <SafetyCertificateOutlined aria-hidden /> 待授权设备 <strong className="figure" aria-live="polite">{pending.length}</strong>
            </span>
          ),
          extra: <span className="weak pending-hint">有人正等着用新设备登录</span>,
          children: (
            <section aria-labelledby="pending-title">
              <p className="weak">授权前请向本人核实。</p>
              <ul className="device-list" aria-live="polite">
                {pending.map((device) => (
                  <DeviceLine key={device.id} device={device} withPerson marked={marked.has(device.id)} />
                ))}
              </ul>
              {devices.length >= LIST_MAX && <p className="weak">只检查了最近的 {LIST_MAX} 台设备；更早的申请请在人员详情中处理。</p>}
            </section>
          ),
        },
      ]}
    />
  )
}
