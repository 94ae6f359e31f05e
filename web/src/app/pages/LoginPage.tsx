import { CityMap } from '../login/CityMap'
import { LoginCard } from '../login/LoginCard'
import { UserLayout } from '../login/UserLayout'
import { page } from '@/kit/theme'

export default function LoginPage() {
  return (
    <UserLayout>
      <div className="login-ground">
        <CityMap palette={page} />
      </div>
      <LoginCard />
    </UserLayout>
  )
}
