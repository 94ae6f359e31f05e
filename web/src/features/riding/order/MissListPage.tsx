import { useQuery } from '@tanstack/react-query'
import { serverNow } from '@/api/clock'
import { useListAddress } from '@/kit/list/address'
import { ListPage } from '@/kit/list/ListPage'
import { queryOf } from '@/kit/list/times'
import { type Miss, missList, missSummary, partsOf } from './miss'
import { MissDrawer } from './MissDrawer'
import './orders.css'

const NO_SORTS: readonly never[] = []

/** 丢单: who wanted a bike and did not get one, by reason. */
export default function MissListPage() {
  const [{ filters }, setAddress] = useListAddress(missList.filters, NO_SORTS)
  const { data } = useQuery(missSummary(queryOf(missList.filters, filters, serverNow())))
  const choose = (reason: string) => {
    const { reason: chosen, ...others } = filters
    setAddress({ filters: chosen === reason ? others : { ...others, reason }, page: 1 })
  }
  return (
    <ListPage<Miss>
      description={missList}
      above={() =>
        data && data.reasons.length > 0 ? (
          <ul className="miss-parts" aria-label="按原因拆分">
            {partsOf(data).map(({ reason, label, color, misses, percent }) => (
              <li key={reason}>
                <button type="button" aria-pressed={filters.reason === String(reason)} title={`只看「${label}」`} onClick={() => choose(String(reason))}>
                  <span>
                    <i style={{ backgroundColor: color }} aria-hidden />
                    {label}
                  </span>
                  <span className="figure">
                    <strong>{misses.toLocaleString('zh-CN')}</strong> <small className="weak">{percent}%</small>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        ) : null
      }
      drawer={(id, close) => <MissDrawer id={id} onClose={close} />}
    />
  )
}
