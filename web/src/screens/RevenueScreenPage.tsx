/** 营收大屏: today's money on a wall. */
import { wall, wallFontSize } from '@/kit/theme'

import type { Drawing } from './OperationTiles'
import { RevenueMap } from './RevenueMap'
import { AgentsTile, AreasTile, BackTile, HoursTile, MixTile, SurgesTile, TodayTile, TrendTile } from './RevenueTiles'
import { Stage } from './Stage'
import { Waiting } from './Waiting'
import { useScreen, useWallAreas } from './useScreen'

const drawing: Drawing = { palette: wall, daylight: 'night', caption: wallFontSize.caption, sign: 26 }

export default function RevenueScreenPage() {
  const [areas, chooseAreas] = useWallAreas()
  const { data: screen, refused } = useScreen('revenue', areas)
  return (
    <Stage title="营收大屏" areas={areas} onAreas={chooseAreas}>
      {screen === null ? (
        <Waiting refused={refused} />
      ) : (
        <main className="screen-revenue">
          <div className="screen-column">
            <TodayTile today={screen.today} />
            <MixTile today={screen.today} drawing={drawing} />
            <BackTile today={screen.today} />
          </div>
          <div className="screen-middle">
            <HoursTile hours={screen.hours} drawing={drawing} />
            <RevenueMap areas={screen.areas} chosen={areas} />
          </div>
          <div className="screen-column">
            <AreasTile areas={screen.areas} drawing={drawing} most={6} />
            <AgentsTile agents={screen.agents} drawing={drawing} most={5} />
            <SurgesTile surges={screen.surges} />
          </div>
          <div className="screen-bottom">
            <TrendTile trend={screen.trend} drawing={drawing} />
          </div>
        </main>
      )}
    </Stage>
  )
}
