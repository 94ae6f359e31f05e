import { Alert, Button } from 'antd'
import { useListAddress } from '@/kit/list/address'
import { ListPage } from '@/kit/list/ListPage'
import { type DeviceTalk, deviceLog } from './deviceLog'
import { DeviceTalkDrawer } from './DeviceTalkDrawer'

const NO_SORTS: readonly never[] = []

const typeNumber = () => document.querySelector<HTMLInputElement>('[role="search"] input[aria-label="车辆"]')?.focus()

/** 设备日志: what one bike's device was told, answered and reported. */
export default function DeviceLogPage() {
  const [{ filters }] = useListAddress(deviceLog.filters, NO_SORTS)
  return (
    <ListPage<DeviceTalk>
      description={deviceLog}
      above={() =>
        filters.carId ? null : (
          <Alert
            showIcon
            type="info"
            title="设备日志按一辆车查看：输入车辆编号或 15 位 IMEI 之后显示。"
            action={
              <Button size="small" type="primary" onClick={typeNumber}>
                输入车辆
              </Button>
            }
          />
        )
      }
      drawer={(id, close) => <DeviceTalkDrawer id={id} onClose={close} />}
    />
  )
}
