import { Button, Dropdown } from 'antd'
import { causes, type Meant, useAlarmActs } from './useAlarmActs'

/** What a person may do about a ticket or a group that is not over. `open`: nobody has taken it on himself. */
export function AlarmActs({ meant, open, size = 'small' }: { meant: Meant; open: boolean; size?: 'small' | 'middle' }) {
  const { acknowledge, falseAlarm, handled, busy } = useAlarmActs()
  return (
    <>
      {open && (
        <Button size={size} type="primary" disabled={busy} onClick={() => acknowledge(meant)}>
          确认
        </Button>
      )}
      <Dropdown
        trigger={['click']}
        menu={{ items: causes.map(({ value, label }) => ({ key: value, label })), onClick: ({ key }) => falseAlarm(meant, Number(key)) }}
      >
        <Button size={size} disabled={busy}>
          误报
        </Button>
      </Dropdown>
      <Button size={size} disabled={busy} onClick={() => handled(meant)}>
        处理完成
      </Button>
    </>
  )
}
