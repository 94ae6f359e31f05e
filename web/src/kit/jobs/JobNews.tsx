import { App } from 'antd'
import { useEffect } from 'react'
import { onSettled } from './store'
import { tellResult } from './tell'

/** Says what came of each job when it is over, whichever page is shown then. */
export function JobNews() {
  const { message, modal } = App.useApp()
  useEffect(
    () =>
      onSettled(({ title, result, why }) => {
        if (why !== null) void message.error(`${title}：${why}`)
        else if (result) tellResult(result, { message, modal })
      }),
    [message, modal],
  )
  return null
}
