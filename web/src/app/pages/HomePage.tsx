import { Avatar, Card, Empty } from 'antd'
import { UserOutlined } from '@ant-design/icons'
import { Link } from 'react-router-dom'
import { defaultOf, isGroup, menuChildren } from '../access'
import { menuIcons } from '../frame/icons'
import { COMING, paths, type Route, routeAt } from '../routes'
import { selectionLabel, useSelection } from '../session/selection'
import { useCodes, useSession } from '../session/store'
import './home.css'

/** The pages of a section that stand already, then how many are to come. */
function Section({ route, codes }: { route: Route; codes: ReadonlySet<string> }) {
  const children = isGroup(route) ? menuChildren(route.path, codes) : [route]
  const target = isGroup(route) ? defaultOf(route, codes) : route.path
  return (
    <Card
      size="small"
      className="home-section"
      title={
        <Link to={target ?? paths.home}>
          <span className="home-icon">{route.icon ? menuIcons[route.icon] : null}</span>
          {route.title}
        </Link>
      }
    >
      <ul>
        {children.map((child) => (
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
  const mayBoard = board?.permission.some((code) => codes.has(code))
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
      <h2>您可以打开的页面</h2>
      {sections.length === 0 && !mayBoard && (
        <Card>
          <Empty description="您的账号还没有任何页面的权限，请联系管理员为您分配角色。" />
        </Card>
      )}
      <div className="home-sections">
        {mayBoard && board && <Section route={board} codes={codes} />}
        {sections.map((route) => (
          <Section key={route.path} route={route} codes={codes} />
        ))}
      </div>
    </div>
  )
}
