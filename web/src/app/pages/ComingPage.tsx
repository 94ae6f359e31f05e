import { Button, Result, Space } from 'antd'
import { useLocation } from 'react-router-dom'
import { useCodes } from '@/kit/permission/held'
import { menuChildren } from '../access'
import { COMING, paths, type Route, routeAt } from '../routes'

/** Pages beside `route`, without itself, that are built and that the user may open. */
function builtBeside(route: Route | undefined, codes: ReadonlySet<string>): Route[] {
  if (!route || route.parent === null) return []
  return menuChildren(route.parent, codes).filter((sibling) => sibling !== route && sibling.page !== null && sibling.page !== COMING)
}

/** Says honestly that a page is not built, and where to go instead. */
export default function ComingPage() {
  const codes = useCodes()
  const route = routeAt(useLocation().pathname)
  const beside = builtBeside(route, codes)
  return (
    <section className="panel">
      <Result
        status="info"
        title={route?.title ?? '页面'}
        subTitle="这个页面还没有建成：这里没有数据，也没有可以执行的操作。您的权限已经就绪，建成后会出现在同一位置。"
        extra={
          <Space wrap style={{ justifyContent: 'center' }}>
            <Button type="primary" href={`#${paths.home}`}>
              返回首页
            </Button>
            {beside.map((sibling) => (
              <Button key={sibling.path} href={`#${sibling.path}`}>
                {sibling.title}
              </Button>
            ))}
          </Space>
        }
      />
    </section>
  )
}
