import { QuestionCircleOutlined } from '@ant-design/icons'
import { Popover } from 'antd'
import { type ReactNode, useContext } from 'react'
import { Link } from 'react-router-dom'

import { formatTime } from '@/kit/format'
import { Permit } from '@/kit/Permit'

import { NowContext } from './contexts'
import { ageText, freshnessOf, rangeText } from './stage'

/** Of which time a tile tells, and as of when. */
export interface Span {
  readonly sinceMs: number
  readonly untilMs: number
  readonly asOfMs: number | null
}

const words = { fresh: '数据为最新', aging: '数据稍旧', stale: '数据已陈旧' } as const

export interface TileProps {
  title: string
  span: Span
  /** 口径: how its figures come about. */
  formula: string
  /** Where the rows behind it are. */
  rows?: { readonly to: string; readonly title: string; readonly need: string }
  className?: string
  children: ReactNode
}

/** A part of a wall with its time, its freshness and, on pointing at it or pressing it long, where its figures come from. */
export function Tile({ title, span, formula, rows, className = '', children }: TileProps) {
  const now = useContext(NowContext)
  const fresh = freshnessOf(span.asOfMs, now)
  const content = (
    <div className="screen-formula">
      <p>{formula}</p>
      <dl>
        <dt>时间</dt>
        <dd>{rangeText(span.sinceMs, span.untilMs)}</dd>
        <dt>数据截至</dt>
        <dd>{formatTime(span.asOfMs)}</dd>
      </dl>
      {rows && (
        <Permit need={rows.need}>
          <Link to={rows.to}>{rows.title}</Link>
        </Permit>
      )}
    </div>
  )
  return (
    <section className={`screen-tile tile-${fresh} ${className}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="screen-range">{rangeText(span.sinceMs, span.untilMs)}</span>
        {fresh !== 'fresh' && <span className="screen-age">{ageText(span.asOfMs, now)}</span>}
        <span className={`screen-dot dot-${fresh}`} role="img" aria-label={words[fresh]} />
        <Popover trigger={['hover', 'focus', 'click']} mouseEnterDelay={0.4} title={`${title} · 口径`} content={content}>
          <button type="button" className="screen-ask" aria-label={`${title}的口径`}>
            <QuestionCircleOutlined aria-hidden />
          </button>
        </Popover>
      </header>
      <div className="screen-body">{children}</div>
    </section>
  )
}
