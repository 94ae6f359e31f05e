import type { ConnectionState } from '@/live/connection'
import type { BaseState } from '@/map/BaseLayers'

interface MapNotesProps {
  connection: ConnectionState
  stale: boolean
  base: BaseState
  fencesFailed: boolean
  /** Why no bike is to be seen: there are none, none here, or none that the filter lets through. */
  empty: 'fleet' | 'view' | 'filter' | null
  onFitAll: (() => void) | null
  onClearFilter: () => void
}

/** What the map has to say about itself: old data, nothing to see, a base map that is not there. */
export function MapNotes({ connection, stale, base, fencesFailed, empty, onFitAll, onClearFilter }: MapNotesProps) {
  return (
    <div className="opmap-notes" aria-live="polite">
      {stale && (
        <p className="opmap-note amber" role="status">
          {staleWords(connection)}
        </p>
      )}
      {!stale && empty === 'fleet' && <p className="opmap-note">权限范围内还没有上架的车辆。上架后，车辆会立即出现在这里。</p>}
      {!stale && empty === 'view' && (
        <p className="opmap-note">
          当前视野内没有车辆。
          {onFitAll !== null && (
            <button type="button" className="opmap-link" onClick={onFitAll}>
              看全部服务区
            </button>
          )}
        </p>
      )}
      {!stale && empty === 'filter' && (
        <p className="opmap-note">
          当前视野内没有符合筛选的车辆。
          <button type="button" className="opmap-link" onClick={onClearFilter}>
            清除筛选
          </button>
        </p>
      )}
      {base === 'missing' && <p className="opmap-note quiet">未导入城市底图，显示网格；车辆与围栏的位置不受影响。</p>}
      {base === 'failed' && <p className="opmap-note quiet">底图没有取到，显示网格；车辆与围栏的位置不受影响。</p>}
      {fencesFailed && <p className="opmap-note quiet">围栏没有取到，请稍后刷新。</p>}
    </div>
  )
}

function staleWords(connection: ConnectionState): string {
  if (connection.kind === 'delayed') return `数据停在 ${connection.seconds} 秒前，正在追赶；灰色车辆不代表现在的位置。`
  if (connection.kind !== 'offline') return ''
  const why = connection.reason === '' ? '连接已断开' : connection.reason
  return `${why}，数据停在 ${connection.seconds} 秒前；灰色车辆不代表现在的位置。`
}
