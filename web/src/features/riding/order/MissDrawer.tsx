import { useQuery } from '@tanstack/react-query'
import { Skeleton, Space } from 'antd'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router-dom'
import { type Fact, Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { EMPTY } from '@/kit/format'
import { factsOf } from '@/kit/list/cells'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit } from '@/kit/Permit'
import { type Miss, missInfo, missList, missReason, placeText } from './miss'

const MissMap = lazy(() => import('./MissMap'))
/** The codes of the operation map, of riders and of parking places. */
const [MAP, RIDER, PARKING] = ['0301', '070101', '0504'] as const

function factsFor(miss: Miss): Fact[] {
  return [...factsOf(missList, miss, 'reason', 'act', 'carId', 'phone', 'areaName', 'parkingName', 'tries', 'at', 'lastAt', 'detail'), { name: '位置（WGS-84）', value: placeText(miss) || EMPTY }]
}

/** One missed order: where it was, and what leads on from it. */
export function MissDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(missInfo(id))
  const miss = query.data
  return (
    <FormDrawer title={miss ? missReason(miss.reason).label : '丢单'} loading={query.isLoading} onClose={onClose}>
      <LoadFailure query={query} text="丢单加载失败" />
      {miss && (
        <>
          {typeof miss.lat === 'number' && typeof miss.lng === 'number' ? (
            <Suspense fallback={<Skeleton.Node active className="miss-map" />}>
              <MissMap lat={miss.lat} lng={miss.lng} name={miss.carId ?? missReason(miss.reason).label} />
            </Suspense>
          ) : (
            <p className="weak">没有位置：用户的客户端没有上报。</p>
          )}
          <Facts facts={factsFor(miss)} />
          <Space wrap className="miss-links">
            {miss.carId && (
              <Permit need={MAP}>
                <Link to={`/vehicle/operation-map?carId=${encodeURIComponent(miss.carId)}`}>在地图上查看车辆</Link>
              </Permit>
            )}
            {miss.userId && (
              <Permit need={RIDER}>
                <Link to={`/user-info-detail?userId=${miss.userId}`}>查看用户</Link>
              </Permit>
            )}
            {miss.parkingId && (
              <Permit need={PARKING}>
                <Link to={`/electronic/parking-fence?open=${miss.parkingId}`}>查看最近站点</Link>
              </Permit>
            )}
          </Space>
        </>
      )}
    </FormDrawer>
  )
}
