import { useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'

import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'

import { commandsOf } from '../../info/records'
import { CancelWaiting } from '../CancelWaiting'
import { isWaiting, kindWord } from '../commands'
import { stepsOf } from './words'
import './records.css'

/** What the bike was told lately, each with how it went from step to step. */
export default function CommandTimeline({ carId }: { carId: string }) {
  const query = useQuery(commandsOf(carId))
  if (query.isLoading) return <Skeleton active title={false} />
  const rows = query.data?.rows ?? []
  return (
    <>
      <LoadFailure query={query} text="指令记录没有取到" />
      {query.data && rows.length === 0 && <p className="opmap-weak">还没有下发过指令</p>}
      <ol className="opmap-rows" aria-label="指令记录">
        {rows.map((told) => (
          <li key={told.id}>
            <p>
              <b>
                {kindWord(told.kind)}
                {told.firmware ? ` ${told.firmware}` : ''}
              </b>
              <span className="opmap-weak">{told.by}</span>
              {isWaiting(told) && <CancelWaiting commandId={told.id} what={kindWord(told.kind)} />}
            </p>
            {told.reason !== '' && <p className="opmap-weak">{told.reason}</p>}
            <ol className="opmap-steps">
              {stepsOf(told).map(({ at, text, tone }) => (
                <li key={text} className={tone}>
                  {at !== null && <span className="figure">{formatTime(at).slice(5)}</span>} {text}
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ol>
    </>
  )
}
