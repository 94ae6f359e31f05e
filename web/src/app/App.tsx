import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { App as AntdApp, ConfigProvider } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { useEffect, useMemo, useState } from 'react'
import { createHashRouter, RouterProvider } from 'react-router-dom'
import { noteAsking } from '@/api/askedAt'
import { mayRetry, setListener } from '@/api/client'
import { chooseAnew, plugEnded, stopLive } from '@/live/live'
import { type CompiledTheme, compileTheme } from './antdTheme'
import { useStillness } from '@/kit/device'
import { JobNews } from '@/kit/jobs/JobNews'
import { plugNavigator } from './nav'
import { notify, plugNotifier } from './notify'
import { Root } from './Root'
import { takeAnnouncement } from './session/announce'
import { useSelection } from './session/selection'
import { endSession, renewIfNeeded, useSession } from './session/store'
import { useSettings } from './settings/store'
import { defaultAccent } from '@/kit/theme'
import './app.css'

dayjs.locale('zh-cn')

const RENEWAL_CHECK_MS = 5 * 60 * 1000

/** Every part of the kit in every state. Not in the production build: the condition is gone there, and the import with it. */
const gallery = import.meta.env.DEV
  ? [{ path: '/kit-gallery', lazy: async () => ({ Component: (await import('./gallery/Gallery')).Gallery }), HydrateFallback: () => null }]
  : []
const router = createHashRouter([...gallery, { path: '*', element: <Root /> }])
plugNavigator((to, options) => router.navigate(to, { ...options, flushSync: true }))
setListener({ failed: notify.error, signedOut: endSession })
// Whoever signs out himself, here or in another tab, has been led away already.
plugEnded((code, words) => code === 'disabled' && endSession(words))
useSession.subscribe((now, before) => {
  if (before.user && !now.user) stopLive()
})

useSelection.subscribe((now, before) => {
  const same = String(now.agentIds) === String(before.agentIds) && String(now.opAreaIds) === String(before.opAreaIds)
  if (!same) chooseAnew()
})

const queries = new QueryClient({
  defaultOptions: {
    // Asked without a network too: who waits is told that none is there, and may try again.
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: mayRetry,
      retryDelay: 1500,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

noteAsking(queries.getQueryCache())

/** Lets code outside of components show notifications; the same one twice is one. */
function Notifications() {
  const { notification, message } = AntdApp.useApp()
  useEffect(() => {
    plugNotifier({
      error: (title, description) => notification.error({ key: `${title}${description}`, title, description, duration: 6 }),
      success: (title, description) => notification.success({ title, description, duration: 4 }),
    })
    const announcement = takeAnnouncement()
    if (announcement?.welcome) notify.success('欢迎', '登录成功')
    if (announcement?.warning) void message.warning(announcement.warning, 6)
    return () => plugNotifier(null)
  }, [notification, message])
  return null
}

/** Keeps the session alive while a page is open. A failure is said by the client or tried again. */
function Renewal() {
  useEffect(() => {
    const renew = () => void renewIfNeeded(Date.now()).catch(() => undefined)
    renew()
    const timer = setInterval(renew, RENEWAL_CHECK_MS)
    return () => clearInterval(timer)
  }, [])
  return null
}

const plainTheme = compileTheme({ accent: defaultAccent, still: false, colorWeak: false }) as CompiledTheme

/** The theme of the settings; the one before stays when none can be made of them. */
function useTheme(): { theme: CompiledTheme; failed: boolean } {
  const still = useStillness()
  const { primaryColor, colorWeak } = useSettings()
  const compiled = useMemo(() => compileTheme({ accent: primaryColor, still, colorWeak }), [primaryColor, still, colorWeak])
  const [good, setGood] = useState(compiled ?? plainTheme)
  if (compiled && compiled !== good) setGood(compiled)
  useEffect(() => {
    document.body.classList.toggle('colorWeak', colorWeak)
  }, [colorWeak])
  return { theme: compiled ?? good, failed: compiled === null }
}

/** Says that the theme before stays. */
function ThemeFailure() {
  const { message } = AntdApp.useApp()
  useEffect(() => void message.error('主题编译失败'), [message])
  return null
}

export function App() {
  const { theme, failed } = useTheme()
  return (
    <ConfigProvider
      locale={zhCN}
      theme={theme.antd}
      button={{ autoInsertSpace: false }}
      // What may be left out is marked, not what must be there. A field with an error comes to the middle, label and all.
      form={{ requiredMark: 'optional', scrollToFirstError: { block: 'center', focus: true } }}
      componentSize="middle"
    >
      <style>{theme.css}</style>
      {/* Around antd's App, so that what its dialogs show can ask the server too. */}
      <QueryClientProvider client={queries}>
        <AntdApp message={{ maxCount: 3, top: 56 }} notification={{ placement: 'topRight', top: 56, maxCount: 4 }}>
          <Notifications />
          <JobNews />
          {failed && <ThemeFailure />}
          <Renewal />
          <RouterProvider router={router} />
        </AntdApp>
      </QueryClientProvider>
    </ConfigProvider>
  )
}
