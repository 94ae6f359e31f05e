import { Alert, Form, Input, Modal, Select } from 'antd'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { command } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import type { BatchAction } from '@/kit/list/ListPage'
import { useBatch } from '@/kit/list/useBatch'
import { FirmwareItem } from '../firmware/FirmwareItem'
import { bindableOptions, useSchemes } from '@/kit/schemeChoices'
import { WAIT_MINUTES, waitChoices } from '../operation-map/commands'
import { type Act, acts, AT_ONCE, BIKES_MAX, COMMANDS, KEEP, keepBody, type Kept, type Said, tagFault } from './acts'

const keep = command.post(KEEP)
const tell = command.post(COMMANDS)

/** All that changes with a bike. */
const stale = [['vehicle'], ['/vehicle/query'], ['/vehicle/screening'], ['/vehicle/device'], ['/log/vehicle'], ['/vehicle/alarm'], ['/production/voltageScheme']] as const

interface Asking {
  act: Act
  rows: readonly Kept[]
  done(): void
}

/** Acts on bikes: with a question, with what has to be said, as a job where they are many. `dialog` has to stand on the page. */
export function useKeep(): { run(act: Act, rows: readonly Kept[], done: () => void): void; dialog: ReactNode } {
  const batch = useBatch<Kept>({ keyOf: ({ carId }) => carId, called: ({ carId }) => carId, counter: '辆', stale })
  const [asking, setAsking] = useState<Asking | null>(null)
  const begin = ({ act, rows, done }: Asking, said: Said) => {
    const [many, none] = [rows.length > 1, '没有选择车辆']
    batch(
      {
        act: many ? `批量${act.label}` : act.label,
        // A command was sent; what its bike made of it is told by its acknowledgement.
        verb: 'keep' in act ? act.label : `下发${act.label}指令`,
        rows: rows.slice(0, BIKES_MAX),
        none,
        consequence: act.consequence,
        atOnce: AT_ONCE,
        ...(act.reason ? { reason: act.reason } : {}),
        run: (carIds, options, reason) =>
          'keep' in act ? keep(keepBody(carIds, act.keep, reason, said), options) : tell({ carIds, kind: act.command, firmwareId: said.firmwareId ?? null, reason, waitMinutes: said.waitMinutes ?? null }, options),
      },
      done,
    )
  }
  const run = (act: Act, rows: readonly Kept[], done: () => void) => (act.form ? setAsking({ act, rows, done }) : begin({ act, rows, done }, {}))
  const dialog = asking && (
    <SaidDialog
      asking={asking}
      onClose={() => setAsking(null)}
      onSaid={(said) => {
        setAsking(null)
        begin(asking, said)
      }}
    />
  )
  return { run, dialog }
}

/** The acts as buttons for marked rows. */
export function batchActionsOf<Row extends Kept>(run: (act: Act, rows: readonly Kept[], done: () => void) => void): BatchAction<Row>[] {
  return acts.map((act) => ({
    key: act.key,
    label: act.label,
    code: act.code,
    seldom: act.seldom === true,
    ...(act.danger ? { danger: true } : {}),
    unavailable: (rows) => {
      if (act.single && rows.length > 1) return '一次只能对一辆车操作'
      return rows.length > BIKES_MAX ? `一次最多 ${BIKES_MAX} 辆` : undefined
    },
    onRun: (rows, done) => run(act, rows, done),
  }))
}

/** What an act takes beside its reason. */
function SaidDialog({ asking: { act, rows }, onClose, onSaid }: { asking: Asking; onClose(): void; onSaid(said: Said): void }) {
  const [said, setSaid] = useState<Said>(act.form === 'wait' ? { waitMinutes: WAIT_MINUTES } : {})
  const fault = act.form === 'tags' ? tagFault([...(said.addTags ?? []), ...(said.removeTags ?? [])]) : null
  const ready = {
    area: said.areaId !== undefined,
    tags: fault === null && (said.addTags?.length ?? 0) + (said.removeTags?.length ?? 0) > 0,
    device: /^\d{15}$/.test(said.imei ?? ''),
    wait: true,
    scheme: said.voltageSchemeId !== undefined,
    firmware: said.firmwareId !== undefined,
  }
  return (
    <Modal
      open
      title={`${act.label}：${rows.length === 1 ? rows[0]!.carId : `${rows.length} 辆`}`}
      okText="下一步"
      cancelText="取消"
      okButtonProps={{ disabled: act.form === undefined || !ready[act.form] }}
      onOk={() => onSaid(said)}
      onCancel={onClose}
      destroyOnHidden
    >
      <Form layout="vertical">
        {act.form === 'area' && <AreaItem value={said.areaId} onChange={(areaId) => setSaid({ areaId })} />}
        {act.form === 'tags' && (
          <>
            <TagsItem label="添加标签" value={said.addTags ?? []} onChange={(addTags) => setSaid({ ...said, addTags })} />
            <TagsItem label="移除标签" value={said.removeTags ?? []} onChange={(removeTags) => setSaid({ ...said, removeTags })} />
          </>
        )}
        {act.form === 'wait' && (
          <Form.Item label="离线的车辆" htmlFor="keep-wait" extra="在线的车辆立即下发">
            <Select<number | null>
              id="keep-wait"
              value={said.waitMinutes ?? null}
              onChange={(waitMinutes) => setSaid({ waitMinutes })}
              options={[{ value: null, label: '不排队，15 秒内没有应答即超时' }, ...waitChoices]}
            />
          </Form.Item>
        )}
        {act.form === 'scheme' && <SchemeItem value={said.voltageSchemeId} onChange={(voltageSchemeId) => setSaid({ voltageSchemeId })} />}
        {act.form === 'firmware' && <FirmwareItem bikes={rows} value={said.firmwareId} onChange={(firmwareId) => setSaid({ firmwareId })} />}
        {act.form === 'device' && (
          <Form.Item label="中控 IMEI" htmlFor="keep-imei" required>
            <Input id="keep-imei" value={said.imei ?? ''} maxLength={15} placeholder="15 位数字" onChange={({ target }) => setSaid({ imei: target.value.trim() })} />
          </Form.Item>
        )}
      </Form>
      {fault !== null && <Alert type="warning" showIcon title={fault} />}
    </Modal>
  )
}

function AreaItem({ value, onChange }: { value: string | undefined; onChange(id: string): void }) {
  const areas = useQuery(areasOf([]))
  return (
    <Form.Item label="调往服务区" htmlFor="keep-area" required>
      <Select
        id="keep-area"
        showSearch={{ optionFilterProp: 'label' }}
        placeholder="同一代理的服务区"
        loading={areas.isFetching}
        value={value ?? null}
        onChange={(id) => id !== null && onChange(id)}
        options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      />
    </Form.Item>
  )
}

/** Takes the scheme away. */
const WITHOUT = 'none'

function SchemeItem({ value, onChange }: { value: string | null | undefined; onChange(id: string | null): void }) {
  const { schemes, isFetching } = useSchemes()
  return (
    <Form.Item label="电压方案" htmlFor="keep-scheme" required extra="只能使用车辆所属代理或平台的方案，不符合的逐辆说明原因">
      <Select<string>
        id="keep-scheme"
        showSearch={{ optionFilterProp: 'label' }}
        placeholder="选择方案，或取消方案"
        loading={isFetching}
        {...(value === undefined ? {} : { value: value ?? WITHOUT })}
        onChange={(id) => onChange(id === WITHOUT ? null : id)}
        options={[...bindableOptions(schemes), { value: WITHOUT, label: '取消方案' }]}
      />
    </Form.Item>
  )
}

function TagsItem({ label, value, onChange }: { label: string; value: string[]; onChange(tags: string[]): void }) {
  return (
    <Form.Item label={label} htmlFor={label}>
      <Select<string[]> id={label} mode="tags" open={false} suffixIcon={null} tokenSeparators={[',', '，']} placeholder="输入后回车，可填多个" value={value} onChange={onChange} />
    </Form.Item>
  )
}
