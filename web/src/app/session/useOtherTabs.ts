import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { enter } from './enter'
import { adoptSelection } from './selection'
import { followOut, refreshRights, useSession } from './store'
import { isLoggedIn } from './stored'
import { answerTo, newsOf, sayOnLogin } from './tabs'

/** Keeps this tab in step with the session that all tabs share. */
export function useOtherTabs(): void {
  const client = useQueryClient()
  const leaving = useRef(false)
  useEffect(() => {
    const follow = ({ key, oldValue, newValue }: StorageEvent) => {
      const news = newsOf(key, oldValue, newValue)
      if (news === null) return
      const user = useSession.getState().user?.userId ?? null
      const answer = answerTo(news, user, isLoggedIn(), localStorage.getItem('objectId'))
      if (answer === 'leave') {
        // Every key that went is told by an event of its own.
        if (leaving.current) return
        leaving.current = true
        sayOnLogin('您已在另一个标签页退出登录')
        void followOut().then(() => {
          leaving.current = false
          client.clear()
        })
      } else if (answer === 'reload') enter()
      else if (answer === 'refresh') void refreshRights()
      else if (answer === 'adopt') {
        adoptSelection()
        void client.invalidateQueries()
      }
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [client])
}
