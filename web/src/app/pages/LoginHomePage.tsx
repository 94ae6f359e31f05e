import { page, stateStyle } from '../theme'
import { LoginCard } from '../login/LoginCard'
import { UserLayout } from '../login/UserLayout'

const bikes = [
  { x: 96, y: 196, state: 0 },
  { x: 168, y: 116, state: 1 },
  { x: 236, y: 214, state: 0 },
  { x: 300, y: 92, state: 3 },
  { x: 332, y: 172, state: 1 },
  { x: 404, y: 128, state: 0 },
  { x: 452, y: 220, state: 4 },
  { x: 500, y: 84, state: 0 },
] as const

/** A quiet map: streets, water, and bikes in the colours they have everywhere. */
function QuietMap() {
  return (
    <svg viewBox="0 0 560 300" role="img" aria-label="城市地图上的车辆示意">
      <rect width="560" height="300" rx="16" fill={page.panel} stroke={page.line} />
      <path d="M0 252C90 214 150 288 262 258S456 214 560 250V284a16 16 0 0 1-16 16H16a16 16 0 0 1-16-16Z" fill="#DCEBFD" />
      <g fill="none" stroke={page.line} strokeLinecap="round">
        <path strokeWidth="9" d="M20 160C140 128 250 184 540 104" />
        <path strokeWidth="9" d="M206 24C222 110 222 170 250 240" />
        <path strokeWidth="5" d="M40 68C180 88 330 44 530 60M380 30C372 110 410 160 398 236M84 36C96 110 92 170 116 236" />
        <path strokeWidth="3" d="M30 214C150 196 330 232 530 180M300 28C310 90 290 150 320 236M468 30C476 90 470 160 486 230" />
      </g>
      <path d="M168 116C214 132 290 150 332 172" fill="none" stroke={stateStyle[1].color} strokeWidth="2" strokeDasharray="3 6" strokeLinecap="round" />
      {bikes.map(({ x, y, state }) => (
        <g key={x}>
          <circle cx={x} cy={y} r="11" fill={stateStyle[state].color} opacity="0.16" />
          <circle cx={x} cy={y} r="5.5" fill={stateStyle[state].color} stroke="#fff" strokeWidth="1.5" />
        </g>
      ))}
    </svg>
  )
}

export default function LoginHomePage() {
  return (
    <UserLayout>
      <main className="login-home">
        <section className="login-pitch">
          <h2>每一辆车，此刻在哪里、能不能骑</h2>
          <p>监控、运维、营销与结算在同一个平台上。使用手机号登录后，只会看到您负责的代理商与服务区。</p>
          <QuietMap />
        </section>
        <LoginCard />
      </main>
    </UserLayout>
  )
}
