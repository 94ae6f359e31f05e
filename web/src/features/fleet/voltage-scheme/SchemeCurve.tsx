import { page, stateStyle } from '@/kit/theme'
import { CURVE, curvePlaces, type PointTyped, voltsText } from './voltageScheme'

const SHARES = [0, 50, 100]

/** Charge over voltage, as the points have it; nothing while they are no curve. */
export function SchemeCurve({ points }: { points: readonly PointTyped[] }) {
  const places = curvePlaces(points)
  const [first, last] = [places[0], places.at(-1)]
  if (!first || !last) return <p className="weak">填写两个以上的点后显示曲线</p>
  const { width, height, left, right, top, bottom } = CURVE
  const line = places.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')
  const color = stateStyle[0].color
  return (
    <svg className="scheme-curve" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`电量曲线：${voltsText(first.voltageMv)} 为 ${first.percent}%，${voltsText(last.voltageMv)} 为 ${last.percent}%`}>
      {SHARES.map((percent) => {
        const y = top + (1 - percent / 100) * (height - top - bottom)
        return (
          <g key={percent}>
            <line x1={left} x2={width - right} y1={y} y2={y} stroke={page.line} />
            <text x={left - 5} y={y + 3.5} textAnchor="end" fontSize="10" fill={page.weakText}>
              {percent}%
            </text>
          </g>
        )
      })}
      <path d={`M${line}`} fill="none" stroke={color} strokeWidth="1.8" strokeLinejoin="round" />
      {places.map(({ x, y, voltageMv }, at) => (
        <circle key={`${at}-${voltageMv}`} cx={x} cy={y} r="2.5" fill={color} />
      ))}
      <text x={left} y={height - 5} fontSize="10" fill={page.weakText}>
        {voltsText(first.voltageMv)}
      </text>
      <text x={width - right} y={height - 5} fontSize="10" textAnchor="end" fill={page.weakText}>
        {voltsText(last.voltageMv)}
      </text>
    </svg>
  )
}
