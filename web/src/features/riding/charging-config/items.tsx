/** Fields that prices are made of. */
import { Form, InputNumber } from 'antd'
import type { ReactNode } from 'react'
import { bare } from '@/kit/format'
import { rule } from '@/kit/record/rule'
import { TextItem } from '@/kit/TextItems'
import { centsOf } from './billing'

const whole = { width: '100%' }

interface ItemProps {
  name: string | string[]
  label: string
  extra?: string | undefined
}

/** An amount of 0 to 1,000 yuan. */
export function MoneyItem({ name, label, extra }: ItemProps) {
  const rules = [{ required: true, message: `请输入${label}` }, rule((text) => text !== '' && centsOf(text) === null && '请输入 0 到 1000 元，最多两位小数')]
  return <TextItem name={name} label={label} extra={extra} rules={rules} suffix="元" inputMode="decimal" maxLength={7} />
}

interface NumberItemProps extends ItemProps {
  suffix: string
  min: number
  max: number
  precision?: number
}

/** A number within its bounds. */
export function NumberItem({ name, label, extra, ...input }: NumberItemProps) {
  return (
    <Form.Item name={name} label={label} extra={extra} rules={[{ required: true, message: `请输入${label}` }]}>
      <InputNumber precision={0} formatter={bare} style={whole} {...input} />
    </Form.Item>
  )
}

/** Fields that belong together, under a heading. */
export function Fields({ title, says, children }: { title: string; says?: string; children: ReactNode }) {
  return (
    <fieldset className="config-fields">
      <legend>{title}</legend>
      {says && <p className="weak">{says}</p>}
      <div className="config-grid">{children}</div>
    </fieldset>
  )
}
