import { CheckCircleFilled, CloseCircleOutlined } from '@ant-design/icons'
import { ink } from '@/kit/theme'
import { type Area, openChecks } from './area'
import './area.css'

/** What an area needs before riders may use it, each with whether it is there. */
export function OpeningChecks({ area }: { area: Pick<Area, 'tel' | 'parkingCount'> }) {
  return (
    <section className="area-checks" aria-label="开通条件">
      <h3>开通条件</h3>
      <ul>
        {openChecks(area).map(({ label, met, how }) => (
          <li key={label}>
            {met ? <CheckCircleFilled aria-hidden style={{ color: ink.good }} /> : <CloseCircleOutlined aria-hidden style={{ color: ink.danger }} />}
            <span>
              {label}：{met ? '已满足' : how}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
