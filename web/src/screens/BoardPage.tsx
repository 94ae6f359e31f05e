/** 运营看板: today's operation in the frame. */
import { type CSSProperties, useMemo } from 'react'
import { theme } from 'antd'

import { fontSize, ink, page, readable } from '@/kit/theme'

import { AreaChooser } from './AreaChooser'
import { AlarmsTile, ChargeTile, type Drawing, HeadFigures, IdleTile, MissesTile, OrdersTile, StatesTile, StationsTile } from './OperationTiles'
import { NowContext } from './contexts'
import { Waiting } from './Waiting'
import { useNow } from '@/live/useNow'
import { useScreen, useWallAreas } from './useScreen'
import './screens.css'
import './board.css'

const sizes: Record<`--${string}`, string> = {
  '--s-background': page.background,
  '--s-panel': page.panel,
  '--s-line': page.line,
  '--s-text': page.text,
  '--s-weak': page.weakText,
  '--s-good': readable(ink.good, 3),
  '--s-warning': readable(ink.warning, 3),
  '--s-danger': readable(ink.danger),
  '--s-caption': `${fontSize.caption}px`,
  '--s-row': `${fontSize.body}px`,
  '--s-section': `${fontSize.section}px`,
  '--s-head': `${fontSize.figure}px`,
}

export default function BoardPage() {
  const { token } = theme.useToken()
  const accent = token.colorPrimary
  const drawing = useMemo<Drawing>(() => ({ palette: { ...page, accent }, daylight: 'day', caption: fontSize.caption, sign: 18 }), [accent])
  const style: CSSProperties = { ...sizes, '--s-accent': accent } as CSSProperties
  const [areas, chooseAreas] = useWallAreas()
  const { data: screen, refused } = useScreen('home', areas)
  const now = useNow()
  return (
    <NowContext value={now}>
      <div className="screen-board" style={style}>
        <header className="board-head">
          <h1>今日运营</h1>
          <AreaChooser areas={areas} onChange={chooseAreas} />
        </header>
        {screen === null ? (
          <Waiting refused={refused} />
        ) : (
          <>
            <HeadFigures screen={screen} />
            <div className="board-tiles">
              <OrdersTile orders={screen.orders} drawing={drawing} />
              {screen.fleet && <StatesTile fleet={screen.fleet} drawing={drawing} />}
              <AlarmsTile alarms={screen.alarms} most={6} />
              <MissesTile misses={screen.misses} drawing={drawing} most={6} />
              {screen.fleet && <ChargeTile fleet={screen.fleet} drawing={drawing} />}
              {screen.idle && <IdleTile idle={screen.idle} drawing={drawing} />}
              {screen.stations && <StationsTile stations={screen.stations} most={6} />}
            </div>
          </>
        )}
      </div>
    </NowContext>
  )
}
