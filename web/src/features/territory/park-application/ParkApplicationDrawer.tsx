import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Alert, Skeleton, Tag } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { command } from '@/api/client'
import { EMPTY } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { factsOf } from '@/kit/list/cells'
import type { Neighbours } from '@/kit/list/useArrows'
import { usePermit } from '@/kit/Permit'
import { Photos } from '@/kit/Photos'
import { NewRecordDrawer, RecordDrawer } from '@/kit/record/RecordDrawer'
import { type Decision, ReviewBar } from '@/kit/record/ReviewBar'
import { Time } from '@/kit/Time'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { PARKINGS } from '../fence/fence'
import { FenceForm } from '../fence/FenceForm'
import { applicationList } from './description'
import {
  applicationInfo,
  applicationPhoto,
  applicationVotes,
  evidenceOf,
  obstacle,
  PARK_APPLICATION_PATH,
  type ParkApplication,
  REMARK_MAX,
  stale,
  stationStart,
} from './parkApplication'
import './park-application.css'

// The map comes with the drawer, not with the list.
const ApplicationMap = lazy(() => import('./ApplicationMap'))

const reason = { label: '驳回原因', placeholder: '驳回原因（必填）', max: REMARK_MAX }

interface ParkApplicationDrawerProps {
  id: string
  neighbours: Neighbours
  onClose(): void
}

/** Shows an application and decides it; the next one follows. */
export function ParkApplicationDrawer({ id, neighbours, onClose }: ParkApplicationDrawerProps) {
  const client = useQueryClient()
  const [building, setBuilding] = useState<ParkApplication | null>(null)
  const draws = usePermit('0504')
  const accept = useCommand({ run: command.post(`${PARK_APPLICATION_PATH}/review`), stale, done: '申请已通过' })
  const ask = useDangerousConfirm()
  const reject = useCommand({ run: command.post(`${PARK_APPLICATION_PATH}/review`), stale, done: '申请已驳回' })
  const decisionsOf = (application: ParkApplication): Decision[] => {
    const { version, state, location: name } = application
    const build: Decision = {
      key: 'build',
      label: '通过并建站',
      hotkey: 'b',
      unavailable: obstacle(state, 'build') ?? (draws ? undefined : '需要停车围栏的权限'),
      onDecide: () => setBuilding(application),
    }
    return [
      {
        key: 'accept',
        label: '通过',
        hotkey: 'a',
        primary: true,
        unavailable: obstacle(state, 'accept'),
        onDecide: () => accept.mutate({ id, version, result: 'accept', remark: '' }, { onSuccess: () => neighbours.next?.() }),
      },
      build,
      {
        key: 'reject',
        label: '驳回',
        hotkey: 'r',
        danger: true,
        unavailable: obstacle(state, 'reject'),
        onDecide: () =>
          ask({
            act: '驳回申请',
            name,
            consequence: '驳回后不能再通过；同一位置可以重新申请。',
            reason,
            onConfirm: (remark) => reject.mutateAsync({ id, version, result: 'reject', remark }).then(() => neighbours.next?.()),
          }),
      },
    ]
  }
  return (
    <>
      <RecordDrawer
        id={id}
        query={useQuery(applicationInfo(id))}
        category="park-application"
        words={{ untitled: '站点申请', failure: '站点申请加载失败', subject: '这个申请', main: '申请' }}
        title={({ location }) => location}
        actions={(application) => <ReviewBar decisions={decisionsOf(application)} neighbours={neighbours} />}
        above={(application) => (
          <>
            {application.reviewRemark && (
              <Alert className="notice" type="info" showIcon title={`处理意见：${application.reviewRemark}`} />
            )}
            <Suspense fallback={<Skeleton.Node active className="application-map-wait" />}>
              <ApplicationMap application={application} />
            </Suspense>
          </>
        )}
        facts={(application) => [
          ...factsOf(applicationList, application, 'state', 'votes', 'areaName', 'applicantPhone', 'createdAt'),
          { name: '坐标', value: <span className="figure">{`${application.lng.toFixed(6)}, ${application.lat.toFixed(6)}`}</span> },
          ...(application.dealAt === null || application.dealAt === undefined ? [] : factsOf(applicationList, application, 'reviewer', 'dealAt')),
          ...(application.parkingId ? factsOf(applicationList, application, 'parkingName') : []),
        ]}
        tabs={(application) => [{ key: 'votes', label: `附议 ${application.votes}`, children: <Votes application={application} /> }]}
        onClose={onClose}
      >
        {(application) => (
          <>
            <h3>申请说明</h3>
            <p className="application-words">{application.remark || EMPTY}</p>
            <h3>现场照片</h3>
            <Photos
              photos={application.photos.map((photo, index) => ({ id: photo.id, name: `现场照片 ${index + 1}`, note: <Evidence photo={photo} /> }))}
              of={[PARK_APPLICATION_PATH, id]}
              load={(photoId, signal) => applicationPhoto(id, photoId, signal)}
              none="申请人没有附上照片"
            />
          </>
        )}
      </RecordDrawer>
      {building && (
        <NewRecordDrawer title={`通过并建站：${building.location}`} onClose={() => setBuilding(null)}>
          <FenceForm
            types={PARKINGS}
            start={stationStart(building)}
            onSaved={() => {
              setBuilding(null)
              void client.invalidateQueries({ queryKey: [PARK_APPLICATION_PATH] })
            }}
          />
        </NewRecordDrawer>
      )}
    </>
  )
}

/** What a photo says of itself; anybody can write that, so it is said as the photo's word. */
function Evidence({ photo }: { photo: ParkApplication['photos'][number] }) {
  const { text, far } = evidenceOf(photo)
  return (
    <>
      {text} {far && <Tag color="warning">不在申请位置</Tag>}
    </>
  )
}

/** Who wants a station there, the applicant first. */
function Votes({ application: { id, version } }: { application: ParkApplication }) {
  const votes = useQuery(applicationVotes(id, version))
  if (votes.isLoading) return <Skeleton active />
  return (
    <>
      <LoadFailure query={votes} text="附议加载失败" />
      <ol className="application-votes">
        {votes.data?.rows.map(({ userPin, phone, remark, votedAt }, index) => (
          <li key={userPin}>
            <span className="figure">{phone || '已注销'}</span>
            <span className="weak">{index === 0 ? '申请' : '附议'}</span>
            <Time at={votedAt} />
            {remark && <p>{remark}</p>}
          </li>
        ))}
      </ol>
    </>
  )
}
