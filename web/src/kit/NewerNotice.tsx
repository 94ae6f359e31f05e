import { Alert, Button } from 'antd'
import './notice.css'

interface NewerNoticeProps<T> {
  /** What it is of, as in a sentence: `这个角色`. */
  subject: string
  /** What the form was opened with. */
  opened: T
  /** What the server has now. */
  latest: T
  /** Opens the form anew with what it is given. */
  onLoad(latest: NoInfer<T>): void
}

/** Says that what is being edited was changed meanwhile; to load it is the editor's choice, for it drops what he wrote. */
export function NewerNotice<T extends { version: number }>({ subject, opened, latest, onLoad }: NewerNoticeProps<T>) {
  if (latest.version === opened.version) return null
  return (
    <Alert
      className="notice"
      type="warning"
      showIcon
      title={`${subject}刚刚被修改，表单里不是最新的内容`}
      action={
        <Button size="small" onClick={() => onLoad(latest)}>
          载入最新内容
        </Button>
      }
    />
  )
}
