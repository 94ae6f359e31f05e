/** 运营大屏: today's operation on a wall. */
import { wall, wallFontSize } from '@/kit/theme'

import { FleetMap } from './FleetMap'
import { AlarmsTile, ChargeTile, type Drawing, HeadFigures, IdleTile, MissesTile, OrdersTile, StatesTile, StationsTile } from './OperationTiles'
import { Stage } from './Stage'
import { Waiting } from './Waiting'
import { useScreen, useWallAreas } from './useScreen'

const drawing: Drawing = { palette: wall, daylight: 'night', caption: wallFontSize.caption, sign: 26 }

export default function OperationScreenPage() {
  const [areas, chooseAreas] = useWallAreas()
  const { data: screen, refused } = useScreen('operation', areas)
  return (
    <Stage title="运营大屏" areas={areas} onAreas={chooseAreas}>
      {screen === null ? (
        <Waiting refused={refused} />
      ) : (
        <main className="screen-operation">
          <div className="screen-column">
            {screen.fleet && <StatesTile fleet={screen.fleet} drawing={drawing} />}
            {screen.fleet && <ChargeTile fleet={screen.fleet} drawing={drawing} />}
            {screen.idle && <IdleTile idle={screen.idle} drawing={drawing} />}
          </div>
          <div className="screen-middle">
            <HeadFigures screen={screen} />
            <FleetMap areas={areas} />
          </div>
          <div className="screen-column">
            <AlarmsTile alarms={screen.alarms} most={6} />
            {screen.stations && <StationsTile stations={screen.stations} most={6} />}
          </div>
          <div className="screen-bottom">
            <OrdersTile orders={screen.orders} drawing={drawing} />
            <MissesTile misses={screen.misses} drawing={drawing} most={5} />
          </div>
        </main>
      )}
    </Stage>
  )
}
