import { Menu, type MenuProps } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useCodes } from '@/kit/permission/held'
import { isComing, isGroup, menuChildren, menuPathOf } from '../access'
import { type Route, routeAt } from '../routes'
import { useSession } from '../session/store'
import type { Settings } from '../settings/settings'
import { menuIcons } from './icons'

type Items = NonNullable<MenuProps['items']>

interface MainMenuProps {
  route: Route
  theme: Settings['navTheme']
  /** `top` lies in one line, `side` stands open, `narrow` shows icons only. */
  shape: 'top' | 'side' | 'narrow'
  onChoose?(): void
}

/** What is still to come is marked; it opens all the same, and says so. */
function Label({ route, coming }: { route: Route; coming: boolean }): ReactNode {
  if (!coming) return route.title
  return (
    <span className="menu-coming">
      {route.title}
      {!isGroup(route) && <small>建设中</small>}
    </span>
  )
}

/** The menu of what the user may see, read from the route table. */
export function MainMenu({ route, theme, shape, onChoose }: MainMenuProps) {
  const codes = useCodes()
  const isShowMenu = useSession((state) => state.isShowMenu)
  const navigate = useNavigate()

  const items = useMemo(() => {
    const menuShow = { '/financial': isShowMenu }
    const itemsOf = (path: string): Items =>
      menuChildren(path, codes, menuShow).map((child) => {
        const children = child.page === null ? itemsOf(child.path) : undefined
        const label = <Label route={child} coming={isComing(child, codes, menuShow)} />
        return { key: child.path, label, title: child.title, icon: child.icon ? menuIcons[child.icon] : undefined, children }
      })
    return itemsOf('/')
  }, [codes, isShowMenu])

  const { parent } = route
  const group = parent && parent !== '/' ? [parent] : []
  const [open, setOpen] = useState(group)
  const [seen, setSeen] = useState(parent)
  if (seen !== parent) {
    setSeen(parent)
    if (group.length > 0) setOpen(group)
  }

  return (
    <Menu
      // The shapes are different lists to antd; what one had open means nothing to the other.
      key={shape === 'top' ? 'top' : 'side'}
      mode={shape === 'top' ? 'horizontal' : 'inline'}
      theme={theme}
      {...(shape === 'top' ? {} : { inlineCollapsed: shape === 'narrow' })}
      items={items}
      selectedKeys={[menuPathOf(route, codes)]}
      {...(shape === 'side' ? { openKeys: open, onOpenChange: (keys: string[]) => setOpen(keys.slice(-1)) } : {})}
      onClick={({ key }) => {
        if (routeAt(key)) void navigate(key)
        onChoose?.()
      }}
    />
  )
}
