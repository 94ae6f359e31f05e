import { useBrand } from '../brand'
import { LoginForm } from './LoginForm'

/** The card with brand and form; both login pages show it. */
export function LoginCard() {
  const { title, logo, company } = useBrand()
  return (
    <section className="login-card" aria-label="登录">
      <header className="login-brand">
        <img src={logo} alt="" />
        <div>
          <h1>{title}</h1>
          <p>{company}</p>
        </div>
      </header>
      <LoginForm />
    </section>
  )
}
