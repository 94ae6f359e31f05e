import { Form, type FormItemProps, Input, type InputProps } from 'antd'
import type { TextAreaProps } from 'antd/es/input'

type TextItemProps = Pick<FormItemProps, 'name' | 'label' | 'extra' | 'required' | 'rules'> &
  Pick<InputProps, 'placeholder' | 'maxLength' | 'disabled' | 'suffix' | 'inputMode'>

/** A line of text. */
export function TextItem({ name, label, extra, required, rules, ...input }: TextItemProps) {
  return (
    <Form.Item name={name} label={label} extra={extra} required={required} rules={rules}>
      <Input autoComplete="off" {...input} />
    </Form.Item>
  )
}

interface NameItemProps extends Pick<InputProps, 'placeholder' | 'showCount' | 'disabled'> {
  /** The field of the form. */
  name: string
  label: string
  /** Most characters. */
  max: number
  extra?: string
}

const atMost = (max: number) => ({ max, message: `不超过 ${max} 个字` })

/** A line of a form that must hold a name; spaces are none. */
export function NameItem({ name, label, max, extra, ...input }: NameItemProps) {
  return (
    <Form.Item name={name} label={label} extra={extra} rules={[{ required: true, whitespace: true, message: `请输入${label}` }, atMost(max)]}>
      <Input maxLength={max} autoComplete="off" {...input} />
    </Form.Item>
  )
}

interface RemarkItemProps extends Pick<TextAreaProps, 'placeholder' | 'disabled'> {
  /** Most characters. */
  max: number
}

/** The remark of a record: two to four lines, which may stay empty. */
export function RemarkItem({ max, ...input }: RemarkItemProps) {
  return (
    <Form.Item name="remark" label="备注" rules={[atMost(max)]}>
      <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={max} showCount {...input} />
    </Form.Item>
  )
}
