import { Switch, TimePicker } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { clockOf, DAY_MIN, type Hours, hoursText } from './words'
import './fence.css'

/** What stands there first when it is no longer all day. */
const DAYTIME: Hours = { fromMin: 7 * 60, untilMin: 22 * 60 }
const FORMAT = 'HH:mm'

const shown = (minute: number) => dayjs(`2000-01-01 ${clockOf(minute % DAY_MIN)}`)
const minuteOf = (picked: Dayjs) => picked.hour() * 60 + picked.minute()

interface HoursFieldProps {
  id?: string
  /** Null: all day. */
  value?: Hours | null
  onChange?(hours: Hours | null): void
}

/** A part of every day, over midnight where it ends before it begins; or all day. */
export function HoursField({ id, value = null, onChange }: HoursFieldProps) {
  const time = (label: string, minute: number, put: (minute: number) => Hours) => (
    <TimePicker
      aria-label={label}
      format={FORMAT}
      minuteStep={5}
      allowClear={false}
      needConfirm={false}
      value={shown(minute)}
      // Enter takes what was typed, and does not save the form.
      onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      onChange={(picked) => picked && onChange?.(put(minuteOf(picked)))}
    />
  )
  return (
    <div className="fence-hours">
      <Switch
        id={id}
        checked={value === null}
        checkedChildren="全天"
        unCheckedChildren="分时段"
        onChange={(allDay) => onChange?.(allDay ? null : DAYTIME)}
      />
      {value && (
        <>
          {time('开始时间', value.fromMin, (fromMin) => ({ ...value, fromMin }))}
          至
          {/* A day ends at 24:00, which is picked as 00:00. */}
          {time('结束时间', value.untilMin, (untilMin) => ({ ...value, untilMin: untilMin || DAY_MIN }))}
          <span className="weak figure">{hoursText(value)}</span>
        </>
      )}
    </div>
  )
}
