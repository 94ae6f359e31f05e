/** The stage of a wall: scaled to the box that it hangs in, on the whole screen where that is asked for. */
import { FullscreenExitOutlined, FullscreenOutlined } from '@ant-design/icons'
import { App, Button, ConfigProvider } from 'antd'
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'

import { nightTheme } from '@/app/antdTheme'
import { useBrandStore } from '@/app/brand'
import { ConnectionBadge } from '@/app/frame/ConnectionBadge'
import { formatTime } from '@/kit/format'
import { ink, wall, wallFontSize } from '@/kit/theme'
import { useConnection } from '@/live/hooks'

import { AreaChooser } from './AreaChooser'
import { NowContext, ScaleContext } from './contexts'
import { clockText, type Fit, fitStage, POINTER_HIDES_MS, shiftAt, STAGE } from './stage'
import { useNewBuild } from './useNewBuild'
import { useNow } from '@/live/useNow'
import './screens.css'

const wallTheme = {
  ...nightTheme,
  token: { ...nightTheme.token, fontSize: wallFontSize.caption, controlHeight: 44 },
}

/** Sizes and colours of a wall for its style sheet. */
const variables: Record<`--${string}`, string> = {
  '--s-background': wall.background,
  '--s-panel': wall.panel,
  '--s-line': wall.line,
  '--s-text': wall.text,
  '--s-weak': wall.weakText,
  '--s-accent': wall.accent,
  '--s-good': ink.good,
  '--s-warning': ink.warning,
  '--s-danger': '#FF6B6F',
  '--s-caption': `${wallFontSize.caption}px`,
  '--s-row': `${wallFontSize.row}px`,
  '--s-section': `${wallFontSize.section}px`,
  '--s-head': `${wallFontSize.head}px`,
  '--s-only': `${wallFontSize.only}px`,
}

interface StageProps {
  title: string
  areas: readonly string[]
  onAreas: (next: readonly string[]) => void
  children: ReactNode
}

export function Stage({ title, areas, onAreas, children }: StageProps) {
  const box = useRef<HTMLDivElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const [fit, setFit] = useState<Fit>({ scale: 0, left: 0, top: 0 })
  const now = useNow()
  const brand = useBrandStore((store) => store.config?.title ?? '')
  const pointerGone = usePointerGone(box)
  useNewBuild(now)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = () => {
      // Behind another page it has no size, and keeps the one it had.
      if (element.clientWidth > 0) setFit(fitStage({ width: element.clientWidth, height: element.clientHeight }))
    }
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    return () => watch.disconnect()
  }, [])

  const [dx, dy] = shiftAt(now)
  const style: CSSProperties = {
    ...variables,
    width: STAGE.width,
    height: STAGE.height,
    transform: `translate(${fit.left + dx * fit.scale}px, ${fit.top + dy * fit.scale}px) scale(${fit.scale})`,
  }
  const { day, time } = clockText(now)
  return (
    <div ref={box} className={pointerGone ? 'screen-wall pointer-gone' : 'screen-wall'} style={{ background: wall.background }}>
      <ConfigProvider theme={wallTheme} getPopupContainer={() => stage.current ?? document.body}>
        <App component={false}>
          <div ref={stage} className="screen-stage" style={style}>
            {fit.scale > 0 && (
              <ScaleContext value={fit.scale}>
                <NowContext value={now}>
                  <header className="screen-head">
                    <h1>
                      {title}
                      <small>{brand}</small>
                    </h1>
                    <Interruption now={now} />
                    <AreaChooser areas={areas} onChange={onAreas} />
                    <time className="screen-clock">
                      <span>{day}</span>
                      <strong>{time}</strong>
                    </time>
                    <ConnectionBadge />
                    <FullScreenButton of={box} />
                  </header>
                  {children}
                </NowContext>
              </ScaleContext>
            )}
          </div>
        </App>
      </ConfigProvider>
    </div>
  )
}

/** Since when nobody tells anything any more. */
function Interruption({ now }: { now: number }) {
  const connection = useConnection()
  if (connection.kind !== 'offline') return null
  return (
    <p className="screen-interrupted" role="alert">
      自 {formatTime(now - connection.seconds * 1000).slice(5)} 起连接中断，正在自动重连
    </p>
  )
}

function FullScreenButton({ of }: { of: { readonly current: HTMLElement | null } }) {
  const [full, setFull] = useState(false)
  const { message } = App.useApp()
  useEffect(() => {
    const look = () => setFull(document.fullscreenElement !== null && document.fullscreenElement === of.current)
    document.addEventListener('fullscreenchange', look)
    return () => document.removeEventListener('fullscreenchange', look)
  }, [of])
  const turn = () => {
    const done = full ? document.exitFullscreen() : of.current?.requestFullscreen()
    done?.catch(() => void message.warning('浏览器没有允许全屏'))
  }
  return (
    <Button type="text" onClick={turn} icon={full ? <FullscreenExitOutlined aria-hidden /> : <FullscreenOutlined aria-hidden />}>
      {full ? '退出全屏' : '全屏'}
    </Button>
  )
}

/** Whether nobody has touched anything for an hour. */
function usePointerGone(box: { readonly current: HTMLElement | null }): boolean {
  const [gone, setGone] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let timer = 0
    const wait = () => {
      window.clearTimeout(timer)
      setGone(false)
      timer = window.setTimeout(() => setGone(true), POINTER_HIDES_MS)
    }
    const signs = ['pointermove', 'pointerdown', 'keydown'] as const
    for (const sign of signs) element.addEventListener(sign, wait, { passive: true })
    wait()
    return () => {
      window.clearTimeout(timer)
      for (const sign of signs) element.removeEventListener(sign, wait)
    }
  }, [box])
  return gone
}
