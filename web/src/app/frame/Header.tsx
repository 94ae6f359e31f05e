import { MenuFoldOutlined, MenuOutlined, MenuUnfoldOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { Link } from 'react-router-dom'
import { ApprovalTray } from '@/features/approvals/ApprovalTray'
import { ALARM_CODES, AlarmTray } from '@/features/fleet/alarms/AlarmTray'
import { Permit } from '@/kit/Permit'
import { useBrand } from '../brand'
import type { DeviceClass } from '@/kit/device'
import { paths, type Route } from '../routes'
import { ConnectionBadge } from './ConnectionBadge'
import { HideClientSwitch } from './HideClientSwitch'
import { JobTray } from './JobTray'
import { PersonMenu } from './PersonMenu'
import { SearchBox } from './SearchBox'
import { Selection } from './Selection'
import { SettingsButton } from './SettingsButton'

interface HeaderProps {
  route: Route
  device: DeviceClass
  /** `none` when the menu lies at the top. */
  menu: 'open' | 'folded' | 'none'
  onToggle(): void
  /** Whether the settings drawer is offered. */
  settings: boolean
}

/** One line, 48 px: brand, selection, search, connection, jobs, person. */
export function Header({ route, device, menu, onToggle, settings }: HeaderProps) {
  const { title, logo } = useBrand()
  const toggleIcon = device === 'mobile' ? <MenuOutlined /> : menu === 'folded' ? <MenuUnfoldOutlined /> : <MenuFoldOutlined />
  return (
    <header className="header">
      {menu !== 'none' && (
        <Button
          type="text"
          aria-label={menu === 'folded' ? '展开菜单' : '收起菜单'}
          aria-expanded={menu === 'open'}
          icon={toggleIcon}
          onClick={onToggle}
        />
      )}
      <Link className="brand" to={paths.home} aria-label={`${title} 首页`}>
        <img src={logo} alt="" />
        <span>{title}</span>
      </Link>
      <HideClientSwitch />
      <div className="header-space" />
      <Selection />
      <SearchBox />
      {route.live && <ConnectionBadge />}
      <Permit need={ALARM_CODES}>
        <AlarmTray />
      </Permit>
      <ApprovalTray />
      <JobTray />
      {settings && <SettingsButton />}
      <PersonMenu />
    </header>
  )
}
