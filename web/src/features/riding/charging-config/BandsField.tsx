import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, InputNumber, Select } from 'antd'
import { type Band, clockOf, DAY_MIN } from './billing'

const STEP_MIN = 30
const BANDS_MAX = 12
const PERCENT_MAX = 500
const USUAL: Band = { fromMin: 7 * 60, untilMin: 9 * 60, percent: 120 }

const clocks = Array.from({ length: DAY_MIN / STEP_MIN + 1 }, (_, index) => index * STEP_MIN)

/** What may be chosen, with what is chosen already. */
const options = (held: number) =>
  [...new Set([...clocks, held])].toSorted((x, y) => x - y).map((minute) => ({ value: minute, label: clockOf(minute) }))

interface BandsFieldProps {
  id?: string
  value?: readonly Band[]
  onChange?(bands: readonly Band[]): void
}

/** Parts of the day in which time costs more or less; the bar shows them. */
export function BandsField({ id, value = [], onChange }: BandsFieldProps) {
  const put = (index: number, change: Partial<Band>) => onChange?.(value.map((band, at) => (at === index ? { ...band, ...change } : band)))
  const last = value.at(-1)?.untilMin ?? 0
  const next = last === 0 || last >= DAY_MIN ? USUAL : { fromMin: last, untilMin: Math.min(last + 120, DAY_MIN), percent: 120 }
  return (
    <div id={id} className="bands" role="group" aria-label="时段系数">
      <div className="bands-bar" aria-hidden>
        {value.map(({ fromMin, untilMin, percent }) => (
          <span
            key={`${fromMin}-${untilMin}`}
            className={percent > 100 ? 'band-dearer' : 'band-cheaper'}
            style={{ left: `${(fromMin / DAY_MIN) * 100}%`, width: `${(Math.max(untilMin - fromMin, 0) / DAY_MIN) * 100}%` }}
          />
        ))}
      </div>
      <div className="bands-scale weak figure" aria-hidden>
        {['00:00', '06:00', '12:00', '18:00', '24:00'].map((clock) => (
          <span key={clock}>{clock}</span>
        ))}
      </div>
      {value.map((band, index) => (
        // Bands have no name; they are told by their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="band" role="group" aria-label={`第 ${index + 1} 段`}>
          <Select aria-label="开始" value={band.fromMin} options={options(band.fromMin)} onChange={(fromMin) => put(index, { fromMin })} />
          <span className="weak">至</span>
          <Select aria-label="结束" value={band.untilMin} options={options(band.untilMin)} onChange={(untilMin) => put(index, { untilMin })} />
          <InputNumber aria-label="系数" min={1} max={PERCENT_MAX} precision={0} suffix="%" value={band.percent} onChange={(percent) => put(index, { percent: percent ?? 100 })} />
          <Button type="text" aria-label={`移除第 ${index + 1} 段`} icon={<MinusCircleOutlined />} onClick={() => onChange?.(value.filter((_, at) => at !== index))} />
        </div>
      ))}
      {value.length < BANDS_MAX && (
        <Button size="small" icon={<PlusOutlined />} onClick={() => onChange?.([...value, next])}>
          增加时段
        </Button>
      )}
    </div>
  )
}
