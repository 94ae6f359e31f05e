import { Drawer } from 'antd'
import { type ReactNode, useState } from 'react'
import { type DeviceClass, useDevice } from '../device'
import type { Route } from '../routes'
import { frame } from '../theme'
import { Breadcrumbs } from './Breadcrumbs'
import { Header } from './Header'
import { SideMenu } from './SideMenu'
import './frame.css'

/** Pages that fill the frame to its edges and bring their own head. */
const fullBleed = new Set(['/vehicle/operation-map'])

/**
 * Whether the menu starts open: open on a desktop and as a drawer, collapsed on a tablet. A drawer would hide the
 * very thing that somebody opens a full-bleed page on a phone for, so there it waits for its button.
 */
function startsOpen(device: DeviceClass, bleeds: boolean): boolean {
  return device === 'desktop' || (device === 'mobile' && !bleeds)
}

/** Menu and header around a page below the root. */
export function Frame({ route, children }: { route: Route; children: ReactNode }) {
  const device = useDevice()
  const bleeds = fullBleed.has(route.path)
  const [open, setOpen] = useState(startsOpen(device, bleeds))
  const [seen, setSeen] = useState(device)
  if (seen !== device) {
    setSeen(device)
    setOpen(startsOpen(device, bleeds))
  }

  const menu = <SideMenu route={route} collapsed={device !== 'mobile' && !open} onChoose={() => device === 'mobile' && setOpen(false)} />
  return (
    <div className="frame">
      <a className="skip" href="#content" onClick={skipToContent}>
        跳到内容
      </a>
      <Header route={route} device={device} collapsed={!open} onToggle={() => setOpen(!open)} />
      <div className="frame-body">
        {device === 'mobile' ? (
          <Drawer
            className="menu-drawer"
            placement="left"
            size={frame.menuOpen}
            open={open}
            closable={false}
            title={null}
            onClose={() => setOpen(false)}
          >
            <nav aria-label="主菜单">{menu}</nav>
          </Drawer>
        ) : (
          <nav className="sider" aria-label="主菜单" style={{ width: open ? frame.menuOpen : frame.menuCollapsed }}>
            {menu}
          </nav>
        )}
        <main id="content" tabIndex={-1} className={bleeds ? 'content content-bleed' : 'content'}>
          {!bleeds && <Breadcrumbs route={route} />}
          {children}
        </main>
      </div>
    </div>
  )
}

/** The address belongs to the hash routes, so the jump is made by hand. */
function skipToContent(event: React.MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#content')?.focus()
}
