import { Breadcrumb } from 'antd'
import { Link } from 'react-router-dom'
import { useCodes } from '@/kit/permission/held'
import { defaultOf, isGroup, trail } from '../access'
import { paths, type Route } from '../routes'

/** 首页, then the way to the page; the last one is plain text. */
export function Breadcrumbs({ route }: { route: Route }) {
  const codes = useCodes()
  const way = trail(route)
  const items = [
    { key: '/', title: way.length === 0 ? '首页' : <Link to={paths.home}>首页</Link> },
    ...way.map((step, index) => {
      const target = isGroup(step) ? defaultOf(step, codes) : step.path
      const last = index === way.length - 1
      return { key: step.path, title: last || target === null ? step.title : <Link to={target}>{step.title}</Link> }
    }),
  ]
  return <Breadcrumb className="breadcrumbs" items={items} />
}
