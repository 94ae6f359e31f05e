import { CaretRightOutlined, PauseOutlined, StepBackwardOutlined, StepForwardOutlined } from '@ant-design/icons'
import { Button, DatePicker, Segmented, Slider } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'

import { formatTime } from '@/kit/format'
import { gapsOf, type PastTimes, SPEEDS, type Speed } from './past'
import type { PastPlayer, PlayerState } from './player'

const DAY_MS = 86_400_000
const SHANGHAI_MS = 8 * 3_600_000
const STEP_MS = 60_000
const SECOND_MS = 1000

const speeds = SPEEDS.map((value) => ({ value, label: `${value}×` }))
const marks = Object.fromEntries([0, 6, 12, 18, 24].map((hour) => [hour * 3600, `${String(hour).padStart(2, '0')}:00`]))

/** The beginning of a moment's day in Shanghai. */
const dayOf = (at: number) => Math.floor((at + SHANGHAI_MS) / DAY_MS) * DAY_MS - SHANGHAI_MS
/** A moment as pickers have it, whatever this machine's zone. */
const picked = (at: number) => dayjs(formatTime(at))
const momentOf = (value: Dayjs) => Date.parse(`${value.format('YYYY-MM-DDTHH:mm:ss')}+08:00`)
const clock = (at: number) => formatTime(at).slice(11)

interface PastBarProps {
  player: PastPlayer
  state: PlayerState
  times: PastTimes
  onLeave: () => void
}

/** Which moment of the last seven days is looked at, and how it goes on. */
export function PastBar({ player, state, times, onLeave }: PastBarProps) {
  const { at, playing, speed, loading, trouble } = state
  const day = dayOf(at)
  const gaps = gapsOf(times.known, day, Math.min(day + DAY_MS, times.until))
  const covered = Math.min(1, (times.until - day) / DAY_MS)
  const within = (moment: number) => Math.min(times.until, Math.max(times.from, moment))
  return (
    <section className="opmap-past" aria-label="回看">
      <div className="opmap-past-head">
        <Button
          type="primary"
          shape="circle"
          aria-label={playing ? '暂停' : '播放'}
          icon={playing ? <PauseOutlined /> : <CaretRightOutlined />}
          onClick={() => (playing ? player.pause() : player.play())}
        />
        <Button aria-label="后退 1 分钟" icon={<StepBackwardOutlined />} onClick={() => player.seek(within(at - STEP_MS))} />
        <Button aria-label="前进 1 分钟" icon={<StepForwardOutlined />} onClick={() => player.seek(within(at + STEP_MS))} />
        <DatePicker
          aria-label="回看时刻"
          showTime
          allowClear={false}
          format="YYYY-MM-DD HH:mm:ss"
          value={picked(at)}
          minDate={picked(times.from)}
          maxDate={picked(times.until)}
          onChange={(value) => value && player.seek(within(momentOf(value)))}
        />
        <Segmented<Speed> aria-label="播放速度" options={speeds} value={speed} onChange={(next) => player.setSpeed(next)} />
        <span className="opmap-past-said" role="status">
          {trouble === '' ? (loading && !playing ? '正在取…' : '') : trouble}
        </span>
        <Button onClick={onLeave}>回到现在</Button>
      </div>
      <div className="opmap-past-line">
        <div className="opmap-past-gaps" aria-hidden="true">
          {gaps.map(({ start, end }) => (
            <i key={start} style={{ left: `${start * covered * 100}%`, width: `${(end - start) * covered * 100}%` }} title="没有数据" />
          ))}
        </div>
        <Slider
          ariaLabelForHandle="当日时刻"
          ariaValueTextFormatterForHandle={(value) => clock(day + (value ?? 0) * SECOND_MS)}
          min={0}
          max={DAY_MS / SECOND_MS}
          marks={marks}
          value={Math.round((at - day) / SECOND_MS)}
          tooltip={{ formatter: (value) => clock(day + (value ?? 0) * SECOND_MS) }}
          onChange={(value) => player.seek(within(day + value * SECOND_MS))}
        />
      </div>
    </section>
  )
}
