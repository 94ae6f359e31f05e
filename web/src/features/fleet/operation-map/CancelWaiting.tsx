import { Button } from 'antd'
import { command } from '@/api/client'
import { useAskedCommand } from '@/kit/useAskedCommand'

const cancel = command.post('/device/command/cancel')

/** Takes a command back that waits for its bike. */
export function CancelWaiting({ commandId, what }: { commandId: string; what: string }) {
  const ask = useAskedCommand({ run: cancel, done: '已取消排队', stale: [['vehicle']] })
  return (
    <Button
      size="small"
      type="link"
      onClick={() => ask({ commandId }, { act: '取消排队', name: what, consequence: '车辆上线后不会再收到这条指令。' })}
    >
      取消排队
    </Button>
  )
}
