import { Result } from 'antd'
import { useLocation } from 'react-router-dom'
import { routeAt } from '../routes'

/** Says honestly that a page is not there yet. */
export default function ComingPage() {
  const route = routeAt(useLocation().pathname)
  return (
    <section className="panel">
      <Result status="info" title={route?.title} subTitle="本页面尚未开放，功能正在建设中。开放后会出现在同一位置。" />
    </section>
  )
}
