import { type ReactNode, useState } from 'react'
import { useBrand } from '../brand'
import { HideClientSwitch } from '../frame/HideClientSwitch'
import './login.css'

/** The frame of the login pages: a calm ground, the brand switch above, company and filing below. */
export function UserLayout({ children }: { children: ReactNode }) {
  const { company, filing } = useBrand()
  const [year] = useState(() => new Date().getFullYear())
  return (
    <div className="login">
      <div className="login-top">
        <HideClientSwitch />
      </div>
      {children}
      <footer className="login-foot">
        <div>
          © {year} {company}
        </div>
        {filing && <div>{filing}</div>}
      </footer>
    </div>
  )
}
