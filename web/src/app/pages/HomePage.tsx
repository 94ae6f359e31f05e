import { Avatar, Card, Empty, Skeleton } from 'antd'
import { UserOutlined } from '@ant-design/icons'
import { Link } from 'react-router-dom'
import { lazy, type ReactNode, Suspense } from 'react'
import { defaultOf, isGroup, menuChildren, permitted } from '../access'
import { Permit } from '@/kit/Permit'
import { useCodes } from '@/kit/permission/held'
import { menuIcons } from '../frame/icons'
import { COMING, paths, type Route, routeAt } from '../routes'
import { selectionLabel, useSelection } from '../session/selection'
import { useSession } from '../session/store'
import { HomeFleet } from './HomeFleet'
import { HomeMessages } from './HomeMessages'
import './home.css'

const ApprovalRecords = lazy(() => import('@/features/approvals/ApprovalRecords'))

/** One group of pages; those that are not built yet are grey. */
function Section({ title, icon, target, pages }: { title: string; icon: ReactNode; target: string; pages: Route[] }) {
  return (
    <Card
      size="small"
      className="home-section"
      title={
        <Link to={target}>
          <span className="home-icon">{icon}</span>
          {title}
        </Link>
      }
    >
      <ul>
        {pages.map((child) => (
          <li key={child.path} className={child.page === COMING ? 'home-coming' : undefined}>
            <Link to={child.path}>{child.title}</Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Landing page: who is here, what is selected, where one may go. */
export default function HomePage() {
  const user = useSession((state) => state.user)
  const codes = useCodes()
  const { agentIds, opAreaIds } = useSelection()
  const sections = menuChildren('/', codes)
  const board = routeAt(paths.board)
  const boards = [...(board && permitted(board, codes) ? [board] : []), ...sections.filter((route) => !isGroup(route))]
  return (
    <div className="home">
      <Card className="home-hello">
        <Avatar size={56} src={user?.avatar || undefined} icon={<UserOutlined />} alt="" />
        <div className="home-words">
          <h1>{user?.name || user?.phone}</h1>
          <p className="weak">{user?.welcome || '欢迎回来'}</p>
        </div>
        <dl className="home-facts">
          <div>
            <dt>角色</dt>
            <dd>{user?.roles.map((role) => role.name).join('、') || '--'}</dd>
          </div>
          <div>
            <dt>代理商</dt>
            <dd className="figure">{selectionLabel(agentIds)}</dd>
          </div>
          <div>
            <dt>服务区</dt>
            <dd className="figure">{selectionLabel(opAreaIds)}</dd>
          </div>
        </dl>
      </Card>
      <div className="home-news">
        <Permit need="0301">
          <HomeFleet />
        </Permit>
        <Permit need="1002||1404">
          <HomeMessages />
        </Permit>
      </div>
      <Suspense fallback={<Skeleton active />}>
        <ApprovalRecords />
      </Suspense>
      <h2>
        您可以打开的页面 <small className="weak">灰色的页面正在建设</small>
      </h2>
      {sections.length === 0 && boards.length === 0 && (
        <Card>
          <Empty description="您的账号还没有任何页面的权限，请联系管理员为您分配角色。" />
        </Card>
      )}
      <div className="home-sections">
        {boards[0] && <Section title="大屏与看板" icon={menuIcons.screen} target={boards[0].path} pages={boards} />}
        {sections.filter(isGroup).map((group) => (
          <Section
            key={group.path}
            title={group.title}
            icon={group.icon ? menuIcons[group.icon] : null}
            target={defaultOf(group, codes) ?? paths.home}
            pages={menuChildren(group.path, codes)}
          />
        ))}
      </div>
    </div>
  )
}
