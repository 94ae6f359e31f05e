import { Button, Drawer } from 'antd'
import { JobList } from '@/kit/jobs/JobList'
import { isActive } from '@/kit/jobs/jobs'
import { cancelJob, clearJobs, retryJob, useJobs } from '@/kit/jobs/store'
import { frame } from '@/kit/theme'

/** All jobs with what can be done about them. */
export default function JobDrawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const jobs = useJobs()
  return (
    <Drawer
      open={open}
      title="任务"
      size={frame.jobs}
      onClose={onClose}
      extra={
        <Button size="small" disabled={jobs.every(isActive)} onClick={clearJobs}>
          清除已完成
        </Button>
      }
    >
      <JobList jobs={jobs} onCancel={cancelJob} onRetry={retryJob} />
    </Drawer>
  )
}
