import {
  CaretRightOutlined,
  FastBackwardOutlined,
  FastForwardOutlined,
  PauseOutlined,
  StepBackwardOutlined,
  StepForwardOutlined,
} from '@ant-design/icons'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Alert, App, Button, DatePicker, Drawer, Skeleton, Slider, Tag } from 'antd'
import type { Dayjs } from 'dayjs'
import { useEffect, useRef, useState } from 'react'
import { failureText } from '@/api/client'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Time } from '@/kit/Time'
import { ActorName } from './ActorName'
import { ChangeTable } from './ChangeTable'
import { fetchHistory, historyKey, type Moment, momentAt, type StateField, STEPS_AT_ONCE, type Step, type Subject } from './log'
import { instantOf } from '@/kit/list/range'
import { type Move, moveOf, positionAfter, type Replay, stepAt, stepBefore } from './replay'

/** Time between steps of a replay that runs by itself, ms. */
const PLAY_MS = 1200
/** Later than any step. */
const NEWEST = Number.MAX_SAFE_INTEGER

interface ReplayDrawerProps {
  replay: Replay
  onMove(position: number): void
  onClose(): void
}

function ownsArrows(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, [role="slider"], .ant-picker-dropdown, .ant-select') !== null
}

/** A thing's whole history: step by step, each with what it changed and the thing as it then was. */
export function ReplayDrawer({ replay, onMove, onClose }: ReplayDrawerProps) {
  const position = replay.position === 0 ? NEWEST : replay.position
  const query = useQuery({ ...momentAt(replay, position), placeholderData: (known) => known })
  const moment = query.data
  return (
    <Drawer
      open
      title={moment ? `${moment.categoryLabel}「${moment.name || moment.id}」的历史` : '对象历史'}
      size={1080}
      className="replay-drawer"
      onClose={onClose}
    >
      {query.isLoading && <Skeleton active paragraph={{ rows: 10 }} />}
      {!moment && <LoadFailure query={query} text="历史加载失败" />}
      {moment && <Player key={`${replay.category}/${replay.id}`} subject={replay} moment={moment} stale={query.isPlaceholderData} onMove={onMove} />}
    </Drawer>
  )
}

interface PlayerProps {
  subject: Subject
  moment: Moment
  /** The next moment is on its way. */
  stale: boolean
  onMove(position: number): void
}

function Player({ subject, moment, stale, onMove }: PlayerProps) {
  const [playing, setPlaying] = useState(false)
  const asked = useRef(0)
  const ask = () => {
    asked.current += 1
    const mine = asked.current
    return () => asked.current === mine
  }
  const choose = (position: number) => {
    ask()
    onMove(position)
  }
  const go = (move: Move) => {
    const position = positionAfter(moment, move)
    if (position !== null) choose(position)
  }

  // Arrows step; on the slider they are the slider's own, which steps as well.
  useEffect(() => {
    const step = (event: KeyboardEvent) => {
      const move = moveOf(event.key)
      if (!move || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || ownsArrows(event.target)) return
      event.preventDefault()
      setPlaying(false)
      go(move)
    }
    window.addEventListener('keydown', step)
    return () => window.removeEventListener('keydown', step)
  })
  useEffect(() => {
    if (!playing || stale) return undefined
    const timer = setTimeout(() => (moment.following === null ? setPlaying(false) : onMove(moment.following)), PLAY_MS)
    return () => clearTimeout(timer)
  }, [playing, stale, moment, onMove])

  const latest = moment.following === null
  return (
    <>
      <Controls
        subject={subject}
        moment={moment}
        playing={playing}
        onAsk={ask}
        onPlay={() => {
          if (latest && !playing) choose(moment.first)
          setPlaying(!playing)
        }}
        onGo={(move) => {
          setPlaying(false)
          go(move)
        }}
        onPosition={(position) => {
          setPlaying(false)
          choose(position)
        }}
      />
      {!latest && (
        <Alert
          className="replay-past"
          type="warning"
          showIcon
          title={`回放：您看到的是 ${formatTime(moment.step.time)} 时的样子，不是现在`}
          action={
            <Button size="small" onClick={() => go('last')}>
              回到现在
            </Button>
          }
        />
      )}
      <div className="replay-columns">
        <Steps subject={subject} moment={moment} onPosition={choose} />
        <div className="replay-moment" aria-busy={stale} aria-live="polite">
          <StepHead step={moment.step} index={moment.index} />
          <h3>这一步的变更</h3>
          <ChangeTable changes={moment.step.changes} />
          <h3>这一步之后的完整状态</h3>
          <State fields={moment.state} changed={new Set(moment.step.changes.map((change) => change.field))} />
        </div>
      </div>
    </>
  )
}

interface ControlsProps {
  subject: Subject
  moment: Moment
  playing: boolean
  /** A step is looked for. Answers whether it is still wanted: not once another was asked for. */
  onAsk(): () => boolean
  onPlay(): void
  onGo(move: Move): void
  onPosition(position: number): void
}

function Controls({ subject, moment, playing, onAsk, onPlay, onGo, onPosition }: ControlsProps) {
  const client = useQueryClient()
  const { message } = App.useApp()
  /** Where the slider is held; null when it rests at the shown step. */
  const [held, setHeld] = useState<number | null>(null)
  const { index, count } = moment
  const fetchPage = (page: number) =>
    client.fetchQuery({
      queryKey: [...historyKey(subject), 'page', page],
      queryFn: ({ signal }) => fetchHistory(subject, page, signal),
      staleTime: 10_000,
    })
  const seek = async (find: () => Promise<Step | null>, otherwise: string) => {
    const wanted = onAsk()
    try {
      const step = await find()
      if (!wanted()) return
      if (step) onPosition(step.position)
      else void message.info(otherwise)
    } catch (error) {
      void message.error(failureText(error, '历史加载失败'))
    } finally {
      setHeld(null)
    }
  }
  const toTime = (day: Dayjs | null) => {
    const time = instantOf(day?.format('YYYY-MM-DD HH:mm:ss'))
    if (time !== null) void seek(() => stepBefore(fetchPage, time, STEPS_AT_ONCE), '那时还没有这个对象')
  }
  const button = (move: Move, label: string, icon: React.ReactNode) => (
    <Button aria-label={label} title={label} icon={icon} disabled={positionAfter(moment, move) === null} onClick={() => onGo(move)} />
  )
  return (
    <div className="replay-controls" role="group" aria-label="回放控制">
      {button('first', '第一步（Home）', <FastBackwardOutlined />)}
      {button('previous', '上一步（←）', <StepBackwardOutlined />)}
      <Button
        aria-label={playing ? '暂停' : '自动播放'}
        title={playing ? '暂停' : '自动播放'}
        icon={playing ? <PauseOutlined /> : <CaretRightOutlined />}
        disabled={count < 2}
        onClick={onPlay}
      />
      {button('following', '下一步（→）', <StepForwardOutlined />)}
      {button('last', '最新一步（End）', <FastForwardOutlined />)}
      <Slider
        className="replay-slider"
        ariaLabelForHandle="步骤"
        ariaValueTextFormatterForHandle={(value) => `第 ${value} 步，共 ${count} 步`}
        min={1}
        max={Math.max(count, 2)}
        disabled={count < 2}
        value={held ?? index}
        tooltip={{ formatter: (value) => `第 ${value} 步` }}
        onChange={setHeld}
        onChangeComplete={(value) => void seek(() => stepAt(fetchPage, value, count, STEPS_AT_ONCE), '没有找到这一步')}
      />
      <span className="figure replay-index">
        第 {held ?? index} / {count} 步
      </span>
      <DatePicker showTime placeholder="跳到某个时刻" aria-label="跳到某个时刻" value={null} onChange={toTime} />
    </div>
  )
}

function StepHead({ step, index }: { step: Step; index: number }) {
  return (
    <div className="replay-step">
      <strong>
        {index}. {step.actionLabel}
      </strong>
      <span className="weak">
        <Time at={step.time} /> · <ActorName actor={step.actor} />
        {step.ip && ` · ${step.ip}`}
      </span>
    </div>
  )
}

/** Every step, newest first; older ones come when asked for. */
function Steps({ subject, moment, onPosition }: { subject: Subject; moment: Moment; onPosition(position: number): void }) {
  const query = useInfiniteQuery({
    queryKey: [...historyKey(subject), 'steps'],
    queryFn: ({ pageParam, signal }) => fetchHistory(subject, pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: (last, _, page) => (page * STEPS_AT_ONCE < last.count ? page + 1 : undefined),
  })
  const current = moment.step.position
  const steps = [...new Map((query.data?.pages ?? []).flatMap((page) => page.rows).map((step) => [step.position, step])).values()]
  return (
    <nav className="replay-steps" aria-label="步骤">
      {query.isLoading && <Skeleton active paragraph={{ rows: 6 }} />}
      {query.isError && <p className="weak">{failureText(query.error, '步骤加载失败')}</p>}
      <ol reversed>
        {steps.map((step) => (
          <li key={step.position} className={step.position === current ? 'current' : undefined}>
            <button type="button" aria-current={step.position === current ? 'step' : undefined} onClick={() => onPosition(step.position)}>
              <span>{step.actionLabel}</span>
              <span className="weak figure">{formatTime(step.time)}</span>
              <span className="weak">{step.actor.name || step.actor.id || '--'}</span>
            </button>
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button block type="link" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          更早的步骤
        </Button>
      )}
    </nav>
  )
}

/** The thing as it then was; what this step changed is named so. */
function State({ fields, changed }: { fields: readonly StateField[]; changed: ReadonlySet<string> }) {
  if (fields.length === 0) return <p className="weak">这一步之后没有可以显示的内容。</p>
  return (
    <dl className="replay-state" aria-label="完整状态">
      {fields.map(({ field, label, text, items }) => (
        <div key={field} className={changed.has(field) ? 'touched' : undefined}>
          <dt>
            {label} {changed.has(field) && <Tag>本步</Tag>}
          </dt>
          <dd>{items ? <ItemList items={items} /> : text || <span className="weak">--</span>}</dd>
        </div>
      ))}
    </dl>
  )
}

function ItemList({ items }: { items: readonly string[] }) {
  if (items.length === 0) return <span className="weak">（空）</span>
  return (
    <ul className="replay-items">
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  )
}
