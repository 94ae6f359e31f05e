import { type ReactNode, useState } from 'react'
import { useBrand } from '../brand'
import { HideClientSwitch } from '../frame/HideClientSwitch'
import './login.css'

/** The frame of the login pages: the brand switch above, company and filing below, and what a page shows beside. */
export function UserLayout({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  const { company, filing } = useBrand()
  const [year] = useState(() => new Date().getFullYear())
  return (
    <div className={aside ? 'login login-split' : 'login'}>
      {aside}
      <div className="login-side">
        <div className="login-top">
          <HideClientSwitch />
        </div>
        <main className="login-main">{children}</main>
        <footer className="login-foot">
          <div>
            © {year} {company}
          </div>
          {filing && <div>{filing}</div>}
        </footer>
      </div>
    </div>
  )
}
