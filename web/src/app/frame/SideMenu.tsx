import { Menu, type MenuProps } from 'antd'
import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { menuChildren, menuPathOf } from '../access'
import { type Route, routeAt } from '../routes'
import { useCodes, useSession } from '../session/store'
import { menuIcons } from './icons'

type Items = NonNullable<MenuProps['items']>

/** The menu of what the user may see, read from the route table. */
export function SideMenu({ route, collapsed, onChoose }: { route: Route; collapsed: boolean; onChoose?: () => void }) {
  const codes = useCodes()
  const isShowMenu = useSession((state) => state.isShowMenu)
  const navigate = useNavigate()

  const items = useMemo(() => {
    const menuShow = { '/financial': isShowMenu }
    const itemsOf = (path: string): Items =>
      menuChildren(path, codes, menuShow).map((child) => {
        const children = child.page === null ? itemsOf(child.path) : undefined
        return { key: child.path, label: child.title, icon: child.icon ? menuIcons[child.icon] : undefined, children }
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
      mode="inline"
      theme="dark"
      inlineCollapsed={collapsed}
      items={items}
      selectedKeys={[menuPathOf(route, codes)]}
      {...(collapsed ? {} : { openKeys: open, onOpenChange: (keys: string[]) => setOpen(keys.slice(-1)) })}
      onClick={({ key }) => {
        if (routeAt(key)) void navigate(key)
        onChoose?.()
      }}
    />
  )
}
