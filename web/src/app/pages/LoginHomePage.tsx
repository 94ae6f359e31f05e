import type { CSSProperties } from 'react'
import { SignIcon } from '@/map/SignIcon'
import { CityMap } from '../login/CityMap'
import { LoginCard } from '../login/LoginCard'
import { UserLayout } from '../login/UserLayout'
import { stateStyle, wall } from '@/kit/theme'

/** The states that the drawn city shows. */
const shown = stateStyle.slice(0, 5)

/** Ink on the dark ground. */
const inks = { '--ink': wall.text, '--weak-ink': wall.weakText } as CSSProperties

/** What the platform is about, over a city at work. */
function Pitch() {
  return (
    <aside className="login-aside" aria-label="平台简介" style={inks}>
      <CityMap />
      <div className="login-pitch">
        <h2>每一辆车，此刻在哪里、能不能骑</h2>
        <p>监控、运维、营销与结算在同一个平台上。登录后只会看到您负责的代理商与服务区。</p>
        <ul>
          {shown.map(({ key, label, color, sign }) => (
            <li key={key}>
              <SignIcon sign={sign} color={color} daylight="night" />
              {label}
            </li>
          ))}
        </ul>
      </div>
    </aside>
  )
}

export default function LoginHomePage() {
  return (
    <UserLayout aside={<Pitch />}>
      <LoginCard />
    </UserLayout>
  )
}
