import { useEffect } from 'react'
import { failureText } from '@/api/client'
import { isStale, useConnectionStore } from '@/live/connection'
import { watchConnection } from '@/live/live'

/** Why what a list shows must no longer pass for the present: the last try failed, or nobody tells of changes. Null: it may. */
export function useStale(query: { data: unknown; error: Error | null }, followed: boolean): string | null {
  useEffect(() => (followed ? watchConnection() : undefined), [followed])
  const away = useConnectionStore((store) => followed && isStale(store.state))
  if (query.data === undefined) return null
  if (query.error) return failureText(query.error, '更新失败')
  return away ? '实时连接已断开' : null
}
