import type { Palette } from '@/kit/theme'

import type { HistoryPoint } from './vehicle'

const WIDTH = 432
const HEIGHT = 72
const LEFT = 28
const BOTTOM = 16

/** The path of a charge curve and its ground, in the coordinates of the picture. */
export function curvePath(points: readonly HistoryPoint[], from: number, to: number): { line: string; ground: string } {
  const span = Math.max(1, to - from)
  const place = (point: HistoryPoint) => {
    const x = LEFT + ((point.at - from) / span) * (WIDTH - LEFT - 4)
    const y = 4 + (1 - Math.max(0, Math.min(100, point.soc)) / 100) * (HEIGHT - BOTTOM - 4)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  }
  if (points.length === 0) return { line: '', ground: '' }
  const line = `M${points.map(place).join('L')}`
  const first = place(points[0]!).split(' ')[0]
  const last = place(points.at(-1)!).split(' ')[0]
  return { line, ground: `${line}L${last} ${HEIGHT - BOTTOM}L${first} ${HEIGHT - BOTTOM}Z` }
}

const clock = new Intl.DateTimeFormat('zh-CN', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** How the charge went over the last hours. */
export function BatteryCurve({ points, color, ink }: { points: readonly HistoryPoint[]; color: string; ink: Palette }) {
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || first === last) return <p className="opmap-weak">最近 3 小时没有电量记录</p>
  const { line, ground } = curvePath(points, first.at, last.at)
  return (
    <svg className="opmap-curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`电量从 ${first.soc}% 到 ${last.soc}%`}>
      {[100, 50, 0].map((percent) => {
        const y = 4 + (1 - percent / 100) * (HEIGHT - BOTTOM - 4)
        return (
          <g key={percent}>
            <line x1={LEFT} x2={WIDTH - 4} y1={y} y2={y} stroke={ink.line} strokeWidth="1" />
            <text x={LEFT - 5} y={y + 3.5} textAnchor="end" fontSize="10" fill={ink.weakText}>
              {percent}
            </text>
          </g>
        )
      })}
      <path d={ground} fill={color} opacity="0.12" />
      <path d={line} fill="none" stroke={color} strokeWidth="1.8" strokeLinejoin="round" />
      <text x={LEFT} y={HEIGHT - 3} fontSize="10" fill={ink.weakText}>
        {clock.format(first.at)}
      </text>
      <text x={WIDTH - 4} y={HEIGHT - 3} fontSize="10" textAnchor="end" fill={ink.weakText}>
        {clock.format(last.at)}
      </text>
    </svg>
  )
}
