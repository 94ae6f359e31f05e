import { Form, type FormItemProps, Input, type InputProps, Select } from 'antd'
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

interface TextsItemProps extends Pick<FormItemProps, 'name' | 'label' | 'extra'> {
  placeholder?: string
  /** So many texts at most, and most characters of each. */
  most: number
  max: number
  /** What each must be, and what is said when one is not. */
  pattern?: { is: { test(text: string): boolean }; text: string }
}

/** Between texts that are pasted. */
const SEPARATORS = [',', '，', ';', '；', '、', '\n', '\t']

/** Several short texts, each once: typed one by one, or pasted as a list. */
export function TextsItem({ name, label, extra, placeholder, most, max, pattern }: TextsItemProps) {
  const faultOf = (texts: readonly string[]) => {
    const long = texts.find((text) => Array.from(text).length > max)
    const wrong = texts.find((text) => pattern && !pattern.is.test(text))
    if (texts.length > most) return `最多 ${most} 个，现有 ${texts.length} 个`
    if (long !== undefined) return `「${long}」超过 ${max} 个字`
    return wrong !== undefined && pattern ? `「${wrong}」${pattern.text}` : undefined
  }
  const rules = [
    {
      validator: (_: unknown, texts: readonly string[] = []) => {
        const fault = faultOf(texts)
        return fault === undefined ? Promise.resolve() : Promise.reject(new Error(fault))
      },
    },
  ]
  const tidied = (texts: readonly string[]) => [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))]
  return (
    <Form.Item name={name} label={label} extra={extra} rules={rules} normalize={tidied}>
      <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={SEPARATORS} placeholder={placeholder} />
    </Form.Item>
  )
}
