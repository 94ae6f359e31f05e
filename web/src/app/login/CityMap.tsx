import { type Palette, stateStyle, wall } from '@/kit/theme'

const SIDE = 1200
/** Streets of the drawn city, across and along; every fourth is an avenue. */
const across = [70, 165, 290, 385, 505, 610, 705, 830, 925, 1060, 1150]
const along = [50, 185, 290, 425, 560, 645, 770, 905, 1010, 1130]

const weightOf = (index: number) => (index % 4 === 1 ? 11 : index % 2 === 0 ? 5 : 3)

/** Where bikes stand: crossing of a street across and one along, and what each is doing. */
const bikes: readonly (readonly [along: number, across: number, state: number])[] = [
  [1, 2, 0], [2, 5, 1], [3, 3, 0], [4, 7, 3], [5, 1, 0], [6, 4, 1], [7, 6, 0], [8, 2, 4], [2, 8, 0],
  [5, 5, 0], [6, 8, 2], [3, 6, 1], [7, 3, 0], [4, 4, 0], [1, 6, 4], [8, 5, 0], [5, 9, 0], [6, 2, 3], [2, 3, 0],
]

function Bike({ x, y, state }: { x: number; y: number; state: number }) {
  const { color, sign } = stateStyle[state] ?? stateStyle[0]
  return (
    <g>
      <circle cx={x} cy={y} r="17" fill={color} opacity="0.2" />
      {sign === 'square' && <rect x={x - 6.5} y={y - 6.5} width="13" height="13" rx="2" fill={color} />}
      {sign === 'ring' && <circle cx={x} cy={y} r="6.5" fill="none" stroke={color} strokeWidth="4" />}
      {sign === 'half' && (
        <>
          <circle cx={x} cy={y} r="7" fill="none" stroke={color} strokeWidth="2" />
          <path d={`M${x - 7} ${y}a7 7 0 0 0 14 0Z`} fill={color} />
        </>
      )}
      {(sign === 'dot' || sign === 'heading') && <circle cx={x} cy={y} r="7.5" fill={color} />}
      {sign === 'heading' && <path d={`M${x} ${y - 15}l5 7h-10Z`} fill={color} />}
    </g>
  )
}

/** A city at work, drawn and not measured: streets, a river, a fence, bikes in the colours and signs they have everywhere. */
export function CityMap({ palette = wall }: { palette?: Palette }) {
  return (
    <svg className="city-map" viewBox={`0 0 ${SIDE} ${SIDE}`} preserveAspectRatio="xMidYMid slice" aria-hidden focusable="false">
      <rect width={SIDE} height={SIDE} fill={palette.background} />
      <g transform="rotate(-13 600 600) translate(-120 -120) scale(1.2)">
        <path d="M-100 930C180 820 330 1010 560 900S880 700 1320 790" fill="none" stroke={palette.accent} strokeOpacity="0.13" strokeWidth="92" />
        <rect x="652" y="394" width="112" height="105" rx="10" fill={stateStyle[0].color} opacity="0.1" />
        <rect x="192" y="612" width="92" height="88" rx="10" fill={stateStyle[0].color} opacity="0.1" />
        <g stroke={palette.line} strokeLinecap="round">
          {across.map((y, index) => (
            <path key={y} d={`M-160 ${y}H1360`} strokeWidth={weightOf(index)} />
          ))}
          {along.map((x, index) => (
            <path key={x} d={`M${x} -160V1360`} strokeWidth={weightOf(index)} />
          ))}
        </g>
        <circle cx="600" cy="560" r="430" fill="none" stroke={palette.line} strokeWidth="9" />
        <path
          d="M425 290H770V385H905V705H645V610H425Z"
          fill={palette.accent}
          fillOpacity="0.07"
          stroke={palette.accent}
          strokeOpacity="0.75"
          strokeWidth="3"
          strokeDasharray="10 9"
        />
        {bikes.map(([x, y, state]) => (
          <Bike key={`${x} ${y}`} x={along[x] ?? 0} y={across[y] ?? 0} state={state} />
        ))}
      </g>
    </svg>
  )
}
