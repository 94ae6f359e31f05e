import { Button, Empty } from 'antd'
import { failureText } from '@/api/client'

interface LoadFailureProps {
  /** The query that may have failed. */
  query: { isError: boolean; error: unknown; refetch(): Promise<unknown> }
  /** What is said when the failure itself says nothing: `角色加载失败`. */
  text: string
}

/** Why something did not come, and a way to ask again; nothing while all is well. */
export function LoadFailure({ query, text }: LoadFailureProps) {
  if (!query.isError) return null
  return (
    <Empty description={failureText(query.error, text)}>
      <Button onClick={() => void query.refetch()}>重试</Button>
    </Empty>
  )
}
