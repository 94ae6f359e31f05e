import { useQuery } from '@tanstack/react-query'
import { Empty } from 'antd'
import { Link } from 'react-router-dom'
import { FormDrawer } from '@/kit/FormDrawer'
import { EMPTY } from '@/kit/format'
import { Facts } from '@/kit/Facts'
import type { Filters } from '@/kit/list/description'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit } from '@/kit/Permit'
import { Dot } from '@/kit/StateTag'
import { StatisticsHead } from '@/kit/statistics/StatisticsHead'
import { stationStatistics } from './description'
import { levels, scopeOf, stationInfo } from './station'

/** What of all places is said of one alone: figures of now are among its facts, and it leads nobody. */
const ofOne = {
  ...stationStatistics,
  cards: stationStatistics.cards.slice(-9),
  rankings: [],
}

interface StationDrawerProps {
  id: string
  /** The days that the list is asked for. */
  asked: Filters
  onClose(): void
}

/** One parking place in the days of the list: as it is now, its trend, its shares. */
export function StationDrawer({ id, asked, onClose }: StationDrawerProps) {
  const query = useQuery(stationInfo(id, asked))
  const station = query.data?.rows[0]
  const level = station && station.level !== null ? levels[station.level] : undefined
  const figure = (value: number | null) => <span className="figure">{value?.toLocaleString('zh-CN') ?? EMPTY}</span>
  return (
    <FormDrawer
      wide
      title={station?.name ?? '站点'}
      loading={query.isLoading}
      onClose={onClose}
      extra={
        station &&
        !station.deleted && (
          <Permit need="0504">
            <Link to={`/electronic/parking-fence?open=${id}`}>查看围栏</Link>
          </Permit>
        )
      }
    >
      <LoadFailure query={query} text="站点统计加载失败" />
      {query.data && !station && <Empty description="这些天没有这个站点的统计" />}
      {query.data && station && (
        <>
          <Facts
            facts={[
              { name: '服务区', value: station.areaName || EMPTY },
              { name: '当前等级', value: level ? <Dot {...level} /> : EMPTY },
              { name: '停放上限', value: figure(station.capacity) },
              { name: '在站车辆', value: figure(station.vehicles) },
              { name: '可租', value: figure(station.rentable) },
              { name: '站外车', value: figure(station.siteOut) },
              { name: '告警', value: figure(station.alarm) },
              { name: '故障', value: figure(station.fault) },
              { name: '标签', value: station.tags.join('、') || EMPTY },
            ]}
          />
          <StatisticsHead statistics={ofOne} answer={query.data} scope={scopeOf(query.data, station.name)} onOpen={() => undefined} />
        </>
      )}
    </FormDrawer>
  )
}
