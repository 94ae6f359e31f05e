import { MenuFoldOutlined, MenuOutlined, MenuUnfoldOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { Link } from 'react-router-dom'
import { useBrand } from '../brand'
import type { DeviceClass } from '../device'
import { paths, type Route } from '../routes'
import { ConnectionBadge } from './ConnectionBadge'
import { HideClientSwitch } from './HideClientSwitch'
import { PersonMenu } from './PersonMenu'
import { SearchBox } from './SearchBox'
import { Selection } from './Selection'

interface HeaderProps {
  route: Route
  device: DeviceClass
  collapsed: boolean
  onToggle(): void
}

/** One line, 48 px: brand, selection, search, connection, person. */
export function Header({ route, device, collapsed, onToggle }: HeaderProps) {
  const { title, logo } = useBrand()
  const toggleIcon = device === 'mobile' ? <MenuOutlined /> : collapsed ? <MenuUnfoldOutlined /> : <MenuFoldOutlined />
  return (
    <header className="header">
      <Button type="text" aria-label={collapsed ? '展开菜单' : '收起菜单'} icon={toggleIcon} onClick={onToggle} />
      <Link className="brand" to={paths.home} aria-label={`${title} 首页`}>
        <img src={logo} alt="" />
        <span>{title}</span>
      </Link>
      <HideClientSwitch />
      <div className="header-space" />
      <Selection />
      <SearchBox />
      {route.live && <ConnectionBadge />}
      <PersonMenu />
    </header>
  )
}
