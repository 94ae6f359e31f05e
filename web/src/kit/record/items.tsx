import { DatePicker, Form, type FormItemProps, type InputProps, Switch } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import type { ReactNode } from 'react'
import { TextItem } from '../TextItems'
import './record.css'

/** Two short fields in one line. */
export function Pair({ children }: { children: ReactNode }) {
  return <div className="form-pair">{children}</div>
}

/** Whether a new record begins to count at once; the field `enabled`. */
export function EnabledItem() {
  return (
    <Form.Item name="enabled" label="立即启用" required valuePropName="checked">
      <Switch />
    </Form.Item>
  )
}

interface PhoneItemProps extends Pick<InputProps, 'placeholder' | 'disabled'> {
  name: string
  label: string
  required: boolean
  extra?: string
  /** What is said of anything else. */
  wrong?: string
}

/** A mobile. */
export function PhoneItem({ name, label, required, extra, wrong = '请输入 11 位手机号', ...input }: PhoneItemProps) {
  const rules = [
    { required, message: `请输入${label}` },
    { pattern: /^1[3-9]\d{9}$/, message: wrong },
  ]
  return <TextItem name={name} label={label} required={required} extra={extra} rules={rules} inputMode="tel" maxLength={11} {...input} />
}

/** Days are text in a form, as they are sent and as drafts hold them; none is empty. */
const DAY = 'YYYY-MM-DD'
const asDay = (text: string | null | undefined) => (text ? dayjs(text, DAY) : null)
const asText = (day: Dayjs | null | undefined) => day?.format(DAY) ?? ''

interface DayItemProps extends Pick<FormItemProps, 'name' | 'label' | 'required' | 'rules' | 'dependencies'> {
  placeholder?: string
  disabled?: boolean
}

/** A day, as text. */
export function DayItem({ placeholder, disabled, ...item }: DayItemProps) {
  return (
    <Form.Item {...item} getValueProps={(text: string) => ({ value: asDay(text) })} normalize={asText}>
      <DatePicker placeholder={placeholder} disabled={disabled} />
    </Form.Item>
  )
}

/** From one day to another, both as text; either may be open. */
export function DaysItem({ name, label }: { name: string; label: string }) {
  return (
    <Form.Item
      name={name}
      label={label}
      getValueProps={(days?: readonly string[]) => ({ value: [asDay(days?.[0]), asDay(days?.[1])] })}
      normalize={(days: readonly (Dayjs | null)[] | null) => [asText(days?.[0]), asText(days?.[1])]}
    >
      <DatePicker.RangePicker allowEmpty={[true, true]} placeholder={['开始日期', '结束日期']} />
    </Form.Item>
  )
}
