import { LoginCard } from '../login/LoginCard'
import { UserLayout } from '../login/UserLayout'

export default function LoginPage() {
  return (
    <UserLayout>
      <main className="login-main">
        <LoginCard />
      </main>
    </UserLayout>
  )
}
