import { CloseOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button, Skeleton, Tooltip } from 'antd'

import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'

import { reasonLabels } from '../pick/pick'
import '../mapTable.css'

type Board = DataOf<'/vehicle/blocked'>
type Reason = Board['reasons'][number]

interface BlockedBoardProps {
  /** The areas that the map is narrowed down to, commas in between. */
  areas: string | null
  /** The reasons that the map shows. */
  picked: readonly string[]
  onPick: (reason: string | null) => void
  onClose: () => void
}

/** Bikes go and come by the minute. */
const EVERY_MS = 15_000
const whole = new Intl.NumberFormat('zh-CN')
const hours = new Intl.NumberFormat('zh-CN', { maximumFractionDigits: 1 })

const formulas = {
  bikes: '已上架、没有人在骑行或预约、且至少有一个不可租原因的车辆；一辆车可能同时有几个原因，合计只计一次',
  hours: '今天 0 点起每分钟清点一次，车辆数 × 时长累加；没有清点到的时间不计入',
  lost: '不可租车辆 × 可租车辆每小时的应收；后者 = 最近 24 小时内有清点的时段的应收 ÷ 这些时段的可租车时，不足 24 车时不计算',
} as const

/** 不可租: how many bikes, for how long today and what it costs, reason by reason; a click shows them on the map. */
export default function BlockedBoard({ areas, picked, onPick, onClose }: BlockedBoardProps) {
  const asked = useQuery({
    queryKey: ['vehicle', 'blocked', areas],
    queryFn: ({ signal }) => api.get('/vehicle/blocked', { opAreaIds: areas }, { signal, quiet: true }),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  })
  return (
    <aside className="opmap-drawer" aria-label="不可租看板">
      <header className="opmap-drawer-head">
        <h2>不可租</h2>
        <Button type="text" aria-label="关闭" icon={<CloseOutlined />} onClick={onClose} />
      </header>
      <div className="opmap-drawer-body">
        {asked.data !== undefined ? (
          <Rows board={asked.data} picked={picked} onPick={onPick} />
        ) : asked.isError ? (
          <LoadFailure query={asked} text="不可租看板没有取到" />
        ) : (
          <Skeleton active />
        )}
      </div>
    </aside>
  )
}

function Rows({ board, picked, onPick }: { board: Board; picked: readonly string[]; onPick: (reason: string | null) => void }) {
  const idle = board.rentable + board.all.bikes
  return (
    <>
      <p className="opmap-sentence">
        空闲的 {whole.format(idle)} 辆中有 <b>{whole.format(board.all.bikes)}</b> 辆不可租
        {board.all.lostCentsPerHour !== null && board.all.bikes > 0 && (
          <>
            ，约每小时少收 <Money cents={board.all.lostCentsPerHour} />
          </>
        )}
        。
      </p>
      <table className="opmap-table">
        <thead>
          <tr>
            <th scope="col">原因</th>
            <th scope="col">
              <Tooltip title={formulas.bikes}>现在</Tooltip>
            </th>
            <th scope="col">
              <Tooltip title={formulas.hours}>今日车时</Tooltip>
            </th>
            <th scope="col">
              <Tooltip title={formulas.lost}>每小时损失</Tooltip>
            </th>
          </tr>
        </thead>
        <tbody>
          {board.reasons.map((reason) => (
            <Row key={reason.reason} reason={reason} active={picked.includes(reason.reason)} onPick={onPick} />
          ))}
        </tbody>
      </table>
      {board.reasons.length === 0 && <p className="opmap-weak">所有空闲车辆都可租。</p>}
      <p className="opmap-weak">
        {formatTime(board.at)} 清点；{board.countedUntil === null ? '今日车时在一分钟后开始累计' : `车时累计到 ${formatTime(board.countedUntil)}`}
        {board.worthCentsPerHour !== null && (
          <>
            ；可租车辆每小时 <Money cents={board.worthCentsPerHour} />
          </>
        )}
      </p>
    </>
  )
}

function Row({ reason, active, onPick }: { reason: Reason; active: boolean; onPick: (reason: string | null) => void }) {
  const name = reasonLabels[reason.reason] ?? reason.reason
  return (
    <tr className={active ? 'active' : undefined}>
      <th scope="row">
        <button type="button" className="opmap-link" aria-pressed={active} onClick={() => onPick(active ? null : reason.reason)}>
          {name}
        </button>
      </th>
      <td>{whole.format(reason.bikes)}</td>
      <td>{hours.format(reason.bikeHoursToday)}</td>
      <td>{reason.lostCentsPerHour === null ? '–' : <Money cents={reason.lostCentsPerHour} />}</td>
    </tr>
  )
}
