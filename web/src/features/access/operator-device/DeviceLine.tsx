import { DesktopOutlined, MobileOutlined } from '@ant-design/icons'
import { Button, Tag } from 'antd'
import { ink, stateStyle } from '@/kit/theme'
import { Dot, type TagStyle } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { BOUND, kindText, type OperatorDevice, REMOVED, WAITING } from './operatorDevice'
import { isOwn, useOperatorDeviceActs } from './useOperatorDeviceActs'

const styles: Readonly<Record<number, TagStyle>> = {
  [WAITING]: { label: '待授权', color: ink.warning },
  [BOUND]: { label: '已授权', color: stateStyle[0].color },
  [REMOVED]: { label: '已移除', color: stateStyle[7].color },
}

interface DeviceLineProps {
  device: OperatorDevice
  /** Names the person too, where several people's devices stand together. */
  withPerson?: boolean
  /** It changed just now. */
  marked?: boolean
}

/** One device: what it is, where it asked from, and what can be done about it. */
export function DeviceLine({ device, withPerson = false, marked = false }: DeviceLineProps) {
  const { confirm, remove } = useOperatorDeviceActs()
  const style = styles[device.state]
  return (
    <li className={marked ? 'device-line device-marked' : 'device-line'}>
      <span className="device-icon" aria-hidden>
        {device.device_type === 1 ? <DesktopOutlined /> : <MobileOutlined />}
      </span>
      <div className="device-what">
        <div>
          {withPerson && (
            <>
              <strong>{device.operatorName}</strong> <span className="weak figure">{device.mobilePhoneNumber}</span>{' '}
            </>
          )}
          {withPerson ? device.device_name : <strong>{device.device_name}</strong>} {style && <Dot {...style} />}{' '}
          {isOwn(device) && <Tag>本机</Tag>}
        </div>
        <div className="weak">
          {kindText(device.device_type)} · 来自 <span className="figure">{device.login_address}</span> · 申请于 <Time at={device.requestedAt} />
          {device.state === REMOVED && (
            <>
              {' '}
              · 移除于 <Time at={device.updatedAt} />
            </>
          )}
        </div>
      </div>
      <div className="device-acts">
        {device.state === WAITING && (
          <Button size="small" type="primary" onClick={() => confirm(device)}>
            授权
          </Button>
        )}
        {device.state !== REMOVED && (
          <Button size="small" danger onClick={() => remove(device)}>
            {device.state === WAITING ? '拒绝' : '移除'}
          </Button>
        )}
      </div>
    </li>
  )
}
