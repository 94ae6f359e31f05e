import { deviceCode } from '@/app/session/device'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { confirmDevice, DEVICES_PATH, type OperatorDevice, removeDevice, WAITING } from './operatorDevice'

const stale = [[DEVICES_PATH]] as const

/** Whether this browser is the device. */
export function isOwn(device: OperatorDevice): boolean {
  return device.device_code === deviceCode()
}

/** What follows from taking a device away. */
export function removalConsequence(device: OperatorDevice, own: boolean): string {
  if (device.state === WAITING) return '拒绝后这台设备不能登录；对方再次尝试时会重新出现在待授权列表。'
  const again = '以后要用它登录，需要重新申请并由管理员授权。'
  return own ? `这是您正在使用的设备：移除后您会立即退出登录。${again}` : `在这台设备上的登录马上结束。${again}`
}

/** Letting a device in and taking it away, each after a question. */
export function useOperatorDeviceActs() {
  const ask = useDangerousConfirm()
  const confirm = useCommand({ run: confirmDevice, stale, done: '设备已授权' })
  const refusal = useCommand({ run: removeDevice, stale, done: '已拒绝这台设备' })
  const removal = useCommand({ run: removeDevice, stale, done: '设备已移除' })
  return {
    confirm(device: OperatorDevice) {
      ask({
        act: '授权设备',
        name: `${device.operatorName} · ${device.device_name}`,
        consequence: `授权后 ${device.operatorName}（${device.mobilePhoneNumber}）可以用这台设备登录。请先向本人核实：申请来自 ${device.login_address}。`,
        onConfirm: () => confirm.mutateAsync(device.id),
      })
    },
    remove(device: OperatorDevice) {
      const waits = device.state === WAITING
      ask({
        act: waits ? '拒绝设备' : '移除设备',
        name: `${device.operatorName} · ${device.device_name}`,
        consequence: removalConsequence(device, isOwn(device)),
        onConfirm: () => (waits ? refusal : removal).mutateAsync(device.id),
      })
    },
  }
}
