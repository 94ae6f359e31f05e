import { DatePicker, Segmented } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { type QuickRange, quickRanges, type Range } from './range'

const OWN = 'own'

interface RangeFieldProps {
  label: string
  /** Those that may be chosen with one click. */
  quick: readonly QuickRange[]
  range: Range
  /** Days have hours, too. */
  showTime?: boolean
  onChange(range: Range): void
}

/** A range of time: with one click, or from one day to another. Days are those of the operation, wherever one is. */
export function RangeField({ label, quick, range, showTime = false, onChange }: RangeFieldProps) {
  const [choosing, setChoosing] = useState(false)
  const own = typeof range !== 'string'
  const written = showTime ? 'YYYY-MM-DD HH:mm:ss' : 'YYYY-MM-DD'
  const options = quickRanges.filter(({ value }) => quick.includes(value))
  return (
    <span className="range-field">
      <Segmented<QuickRange | typeof OWN>
        aria-label={label}
        options={[...options, { value: OWN, label: '自定义' }]}
        value={own || choosing ? OWN : range}
        onChange={(value) => {
          setChoosing(value === OWN)
          if (value !== OWN) onChange(value)
        }}
      />
      {(own || choosing) && (
        <DatePicker.RangePicker
          showTime={showTime}
          allowClear={false}
          aria-label={`自定义${label}`}
          style={{ width: showTime ? 344 : 240 }}
          placeholder={showTime ? ['开始时间', '结束时间'] : ['开始日期', '结束日期']}
          value={own ? [dayjs(range.start), dayjs(range.end)] : null}
          disabledDate={(day) => day.isAfter(dayjs(), 'day')}
          onChange={(days) => {
            const [start, end] = days ?? []
            if (start && end) onChange({ start: start.format(written), end: end.format(written) })
          }}
        />
      )}
    </span>
  )
}
