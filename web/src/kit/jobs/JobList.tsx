import { CheckCircleFilled, CloseCircleFilled, ClockCircleOutlined, LoadingOutlined, MinusCircleOutlined, WarningFilled } from '@ant-design/icons'
import { App, Button, Progress, theme } from 'antd'
import type { CSSProperties, ReactNode } from 'react'
import { isActive, isUnderWay, type Job, type Jobs, type JobState, percentOf, progressText } from './jobs'
import { showDetails } from './tell'
import './jobs.css'

type Ink = 'colorTextSecondary' | 'colorLink' | 'colorSuccess' | 'colorWarning' | 'colorError'

const icons: Readonly<Record<JobState | 'warned', { icon: ReactNode; color: Ink }>> = {
  waiting: { icon: <ClockCircleOutlined />, color: 'colorTextSecondary' },
  running: { icon: <LoadingOutlined />, color: 'colorLink' },
  stopping: { icon: <LoadingOutlined />, color: 'colorTextSecondary' },
  done: { icon: <CheckCircleFilled />, color: 'colorSuccess' },
  warned: { icon: <WarningFilled />, color: 'colorWarning' },
  failed: { icon: <CloseCircleFilled />, color: 'colorError' },
  cancelled: { icon: <MinusCircleOutlined />, color: 'colorTextSecondary' },
}

/** How it stands, in words. */
export function jobText({ state, progress, result, why }: Job): string {
  switch (state) {
    case 'waiting':
      return '排队中'
    case 'running':
      return progress ? progressText(progress) : '正在等待服务器'
    case 'stopping':
      return '正在取消'
    case 'done':
      return result?.text ?? '已完成'
    case 'failed':
      return why ?? '失败'
    case 'cancelled':
      return result ? `已取消：${result.text}` : '已取消'
  }
}

interface JobListProps {
  jobs: Jobs
  onCancel(id: number): void
  onRetry(id: number): void
}

/** All jobs, the latest first, with what can be done about each. */
export function JobList({ jobs, onCancel, onRetry }: JobListProps) {
  const means = App.useApp()
  const { token } = theme.useToken()
  // Around the map by night the panel is dark, and the page below it is not.
  const colors = {
    '--page-line': token.colorBorderSecondary,
    '--page-weak': token.colorTextSecondary,
    '--job-bar': token.colorPrimary,
    '--job-ground': token.colorFillSecondary,
  } as CSSProperties
  if (jobs.length === 0) {
    return (
      <p className="weak" style={colors}>
        没有任务。导出和批量操作的进度会显示在这里。
      </p>
    )
  }
  return (
    <ul className="jobs" aria-label="任务" style={colors}>
      {jobs.toReversed().map((job) => {
        const { id, title, state, result } = job
        const details = result?.details ? result : null
        const { icon, color } = icons[state === 'done' && result?.kind === 'warning' ? 'warned' : state]
        return (
          <li key={id}>
            <span className="job-icon" aria-hidden style={{ color: token[color] }}>
              {icon}
            </span>
            <div className="job-words">
              <strong>{title}</strong>
              <span className="figure weak">{jobText(job)}</span>
              {isActive(job) && state !== 'waiting' && <JobBar job={job} />}
            </div>
            {(state === 'waiting' || state === 'running') && (
              <Button size="small" aria-label={`取消 ${title}`} onClick={() => onCancel(id)}>
                取消
              </Button>
            )}
            {state === 'failed' && (
              <Button size="small" aria-label={`重试 ${title}`} disabled={isUnderWay(jobs, job.key)} onClick={() => onRetry(id)}>
                重试
              </Button>
            )}
            {details && (
              <Button size="small" aria-label={`查看结果 ${title}`} onClick={() => showDetails(details, means)}>
                查看结果
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** How far it is; where nobody knows how much there is, that it goes on. */
function JobBar({ job }: { job: Job }) {
  const percent = percentOf(job.progress)
  const name = `${job.title} 的进度`
  if (percent !== null) return <Progress percent={percent} size="small" status="normal" aria-label={name} />
  return <div className="job-bar" role="progressbar" aria-label={name} aria-valuetext={jobText(job)} />
}
