import { DatePicker, Form, Radio } from 'antd'
import type { Dayjs } from 'dayjs'
import { serverNow } from '@/api/clock'
import type { Term } from './versions'

const WRITTEN = 'YYYY-MM-DDTHH:mm:00+08:00'
const SHOWN = 'YYYY-MM-DD HH:mm'
const CLOCK = { format: 'HH:mm' }
const WHEN = [
  { value: 'now', label: '立即生效' },
  { value: 'later', label: '定时生效' },
]

/** A minute of the operation's clock, wherever one is. */
const momentOf = (picked: Dayjs | null | undefined) => (picked ? Date.parse(picked.format(WRITTEN)) : null)

/** Fields of a form that ask when something is to count. */
export interface TermFields {
  when: 'now' | 'later'
  from?: Dayjs | null
  until?: Dayjs | null
}

export const AT_ONCE: TermFields = { when: 'now', until: null }

/** What the fields say. */
export const termOf = ({ when, from, until }: TermFields): Term => ({ from: when === 'later' ? momentOf(from) : null, until: momentOf(until) })

interface TermItemsProps {
  /** What happens at the end: `临时围栏到时自动失效；留空则一直有效`. Absent where nothing ends by itself. */
  ending?: string | undefined
  endLabel?: string
  /** What stands there while no end is given. */
  endless?: string
}

/** From when on, and until when: fields of the form that they stand in. */
export function TermItems({ ending, endLabel = '失效时间', endless = '一直有效' }: TermItemsProps) {
  const later = Form.useWatch('when') === 'later'
  return (
    <>
      <Form.Item name="when" label="生效时间" required>
        <Radio.Group options={WHEN} />
      </Form.Item>
      {later && (
        <Form.Item
          name="from"
          label="从何时起"
          rules={[
            { required: true, message: '请选择生效时间' },
            { validator: (_, picked?: Dayjs) => ((momentOf(picked) ?? Infinity) < serverNow() ? Promise.reject(new Error('不能早于现在')) : Promise.resolve()) },
          ]}
        >
          <DatePicker showTime={CLOCK} format={SHOWN} placeholder="选择时间" />
        </Form.Item>
      )}
      {ending !== undefined && (
        <Form.Item name="until" label={endLabel} extra={ending}>
          <DatePicker showTime={CLOCK} format={SHOWN} placeholder={endless} />
        </Form.Item>
      )}
    </>
  )
}
