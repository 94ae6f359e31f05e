import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Empty, Skeleton } from 'antd'
import { Link } from 'react-router-dom'
import { LoadFailure } from '@/kit/LoadFailure'
import type { Subject } from '@/kit/record/history'
import { Time } from '@/kit/Time'
import { ActorName } from './ActorName'
import { type Change, type History, newestSteps, type Step } from './log'
import { logAddressOf, replayAddressOf } from './useLogAddress'
import './audit.css'

/** What was done to a record last, in its drawer. */
export function SubjectHistory({ version, ...subject }: Subject & { version: number }) {
  return <NewestSteps subject={subject} query={useQuery({ ...newestSteps(subject, version), placeholderData: keepPreviousData })} />
}

interface NewestStepsProps {
  subject: Subject
  query: { data: History | undefined; isLoading: boolean; isError: boolean; error: unknown; refetch(): Promise<unknown> }
}

/** When, who, what, and what it changed; all of it is in the log. */
export function NewestSteps({ subject, query }: NewestStepsProps) {
  if (query.isLoading) return <Skeleton active title={false} paragraph={{ rows: 6 }} />
  if (!query.data) return <LoadFailure query={query} text="操作记录加载失败" />
  const { rows, count } = query.data
  if (rows.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有操作记录" />
  return (
    <>
      <ol className="subject-steps" aria-label="操作记录">
        {rows.map((step) => (
          <StepLine key={step.position} step={step} />
        ))}
      </ol>
      <p className="subject-more">
        <span className="weak figure">{rows.length < count ? `最近 ${rows.length} 步，共 ${count} 步` : `共 ${count} 步`}</span>
        <Link to={logAddressOf(subject)}>查看全部</Link>
        <Link to={replayAddressOf(subject)}>逐步回放</Link>
      </p>
    </>
  )
}

function StepLine({ step: { actionLabel, actor, time, changes } }: { step: Step }) {
  return (
    <li>
      <strong>{actionLabel}</strong>
      <span className="weak">
        <Time at={time} /> · <ActorName actor={actor} />
      </span>
      {changes.length > 0 && (
        <dl>
          {changes.map((change) => (
            <ChangeLine key={change.field} change={change} />
          ))}
        </dl>
      )}
    </li>
  )
}

/** What a field was and what it became; of a list, what came and went. */
function ChangeLine({ change: { label, beforeText, afterText, added, removed } }: { change: Change }) {
  const parts = [...(removed ?? []).map((item) => <del key={`-${item}`}>− {item}</del>), ...(added ?? []).map((item) => <ins key={`+${item}`}>+ {item}</ins>)]
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {parts.length > 0 ? (
          <div className="subject-items">{parts}</div>
        ) : (
          <>
            {beforeText !== '' && <del>{beforeText}</del>}
            {beforeText !== '' && afterText !== '' && <span aria-hidden> → </span>}
            {afterText !== '' && <ins>{afterText}</ins>}
          </>
        )}
      </dd>
    </div>
  )
}
