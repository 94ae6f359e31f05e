import { CheckCircleFilled, ClockCircleFilled, CloseCircleFilled, LoadingOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Input, Modal, Select } from 'antd'
import { useState } from 'react'

import { failureText } from '@/api/client'
import { useClockOffset } from '@/live/hooks'
import { usePermit } from '@/kit/Permit'

import { acts } from '../keeping/acts'
import { useKeep } from '../keeping/useKeep'
import { CancelWaiting } from './CancelWaiting'
import { ackLine, commandChoices, isWaiting, kindWord, type AckTone, type CommandChoice, type SentCommand, WAIT_MINUTES, waitChoices } from './commands'
import { sendCommand } from './queries'
import { useNow } from '@/live/useNow'
import type { Vehicle } from './vehicle'

const MIN_REASON = 2
const MAX_REASON = 100

const toneIcons: Readonly<Record<AckTone, React.ReactNode>> = {
  waiting: <LoadingOutlined />,
  good: <CheckCircleFilled />,
  bad: <CloseCircleFilled />,
  late: <ClockCircleFilled />,
}

const upgrade = acts.find((act) => act.form === 'firmware')

/** Commands as buttons, and below them how the last one went. */
export function CommandPanel({ vehicle }: { vehicle: Vehicle }) {
  const { carId } = vehicle
  const isAway = !vehicle.online
  const [asking, setAsking] = useState<CommandChoice | null>(null)
  const [reason, setReason] = useState('')
  const [wait, setWait] = useState<number | null>(WAIT_MINUTES)
  const [sent, setSent] = useState<SentCommand | null>(null)
  const offset = useClockOffset()
  const send = useMutation({
    mutationFn: ({ choice, why }: { choice: CommandChoice; why: string }) => sendCommand(carId, choice.name, why, isAway && choice.waits === true ? wait : null),
    onSuccess: ({ commandId, state }, { choice }) => {
      setSent({ carId, commandId, name: choice.name, sentAt: Date.now() + offset, waits: state === 'waiting' })
      setAsking(null)
    },
  })
  const may = { lock: usePermit('0301||0305'), other: usePermit('0305') }
  const choices = commandChoices.filter((choice) => (choice.need === '0305' ? may.other : may.lock))
  const { run, dialog } = useKeep()
  if (choices.length === 0) return null

  const begin = (choice: CommandChoice, why = '') => {
    send.reset()
    setReason(why)
    if (choice.consequence === '') send.mutate({ choice, why: '' })
    else setAsking(choice)
  }
  const ready = asking !== null && (!asking.reasoned || reason.trim().length >= MIN_REASON)
  return (
    <section className="opmap-block" aria-label="指令">
      <div className="opmap-commands">
        {choices.map((choice) => (
          <Button
            key={choice.name}
            type={choice.name === 'lock' && vehicle.locked === false ? 'primary' : 'default'}
            loading={send.isPending && send.variables.choice.name === choice.name}
            onClick={() => begin(choice)}
          >
            {kindWord(choice.kind)}
          </Button>
        ))}
        {upgrade && may.lock && <Button onClick={() => run(upgrade, [{ carId, model: vehicle.model ?? null, firmware: vehicle.firmware ?? null }], () => undefined)}>{upgrade.label}</Button>}
      </div>
      {dialog}
      {send.isError && asking === null && (
        <p className="opmap-ack bad" role="alert">
          <CloseCircleFilled /> {failureText(send.error)}
        </p>
      )}
      {!send.isError && <Acknowledgement vehicle={vehicle} sent={sent} may={choices} onAgain={(choice) => begin(choice, vehicle.command?.reason)} />}
      <Modal
        open={asking !== null}
        title={asking === null ? '' : `对 ${carId} ${kindWord(asking.kind)}`}
        okText={asking ? kindWord(asking.kind) : undefined}
        cancelText="取消"
        okButtonProps={{ danger: asking?.danger === true, disabled: !ready }}
        confirmLoading={send.isPending}
        onOk={() => asking !== null && send.mutate({ choice: asking, why: reason.trim() })}
        onCancel={() => setAsking(null)}
        destroyOnHidden
      >
        <p>{asking?.consequence}</p>
        {isAway && asking?.waits === true && (
          <label className="opmap-reason" htmlFor="command-wait">
            <span>车辆离线</span>
            <Select<number | null>
              id="command-wait"
              value={wait}
              onChange={setWait}
              options={[{ value: null, label: '立即下发（15 秒内没有应答即超时）' }, ...waitChoices]}
            />
          </label>
        )}
        <label className="opmap-reason">
          <span>{asking?.reasoned === true ? '原因（必填，记入日志）' : '原因（可不填）'}</span>
          <Input.TextArea
            autoFocus
            value={reason}
            maxLength={MAX_REASON}
            showCount
            rows={2}
            placeholder="例如：用户来电无法还车"
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        {send.isError && (
          <p className="opmap-ack bad" role="alert">
            <CloseCircleFilled /> {failureText(send.error)}
          </p>
        )}
      </Modal>
    </section>
  )
}

const TENTH_MS = 200

interface AcknowledgementProps {
  vehicle: Vehicle
  sent: SentCommand | null
  /** What this person may tell it. */
  may: readonly CommandChoice[]
  onAgain: (choice: CommandChoice) => void
}

function Acknowledgement({ vehicle, sent, may, onAgain }: AcknowledgementProps) {
  const now = useNow(TENTH_MS)
  const line = ackLine(sent, vehicle.command, now)
  if (line === null) return <p className="opmap-ack none">还没有下发过指令</p>
  return (
    <p className={`opmap-ack ${line.tone}`} role="status" data-testid="command-outcome">
      {toneIcons[line.tone]} <b>{line.what}</b> {line.outcome}
      {line.seconds !== '' && <span className="opmap-weak"> · {line.seconds}</span>}
      {line.detail !== '' && <span className="opmap-weak"> · {line.detail}</span>}
      {line.again !== undefined && may.includes(line.again) && (
        <Button size="small" type="link" onClick={() => onAgain(line.again!)}>
          重试
        </Button>
      )}
      {vehicle.command !== null && isWaiting(vehicle.command) && <CancelWaiting commandId={vehicle.command.id} what={line.what} />}
    </p>
  )
}
