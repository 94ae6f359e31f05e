import { ColumnHeightOutlined, DownloadOutlined, ReloadOutlined, SettingOutlined, WarningOutlined } from '@ant-design/icons'
import { Button, Checkbox, Popover, Tooltip } from 'antd'
import { formatTime } from '../format'
import { useThrottledClick } from '../useThrottledClick'
import type { Column } from './description'
import type { ListSettings } from './settings'

interface ToolbarProps<Row> {
  columns: readonly Column<Row>[]
  settings: ListSettings
  onSettings(settings: ListSettings): void
  onReset(): void
  /** When the rows were asked for, epoch ms; 0 before the first answer. */
  refreshedAt: number
  /** Why the rows are no longer those of now; null when they are. */
  stale: string | null
  /** How many rows changed that are not in sight. */
  updates?: number
  /** Brings them. */
  onUpdates?(): void
  refreshing: boolean
  onRefresh(): void
  exporting: boolean
  /** Absent where the rows cannot be taken away. */
  onExport?(): void
}

const timeOfDay = (at: number) => formatTime(at).slice(11)

/** Why the figures are those of a while ago, how old they are, and a way to ask again. */
export function StaleNote({ why, at, onRetry }: { why: string; at: number; onRetry(): void }) {
  return (
    <span className="stale-note" role="status">
      <WarningOutlined aria-hidden /> {why}，数据停在 <span className="figure">{timeOfDay(at)}</span>
      <Button size="small" type="link" onClick={onRetry}>
        重试
      </Button>
    </span>
  )
}

/** A number larger than this says no more than this. */
const MOST_UPDATES = 99

/** That rows changed which are not in sight: they come when they are asked for, and move nothing before. */
export function UpdatesNote({ count, onShow }: { count: number; onShow(): void }) {
  return (
    <span aria-live="polite">
      {count > 0 && (
        <Button className="updates-note" size="small" type="primary" ghost onClick={onShow}>
          有 {count > MOST_UPDATES ? `${MOST_UPDATES}+` : count} 条更新
        </Button>
      )}
    </span>
  )
}

/** Right side of the toolbar: freshness, density, columns, export. */
export function Toolbar<Row>(props: ToolbarProps<Row>) {
  const refresh = useThrottledClick(props.onRefresh)
  const exportRows = useThrottledClick(() => props.onExport?.())
  const { columns, settings, onSettings } = props
  const small = settings.density === 'small'
  const updates = props.stale === null ? (props.updates ?? 0) : 0
  return (
    <div className="toolbar-right">
      {props.stale === null
        ? updates === 0 && props.refreshedAt > 0 && <span className="weak figure">更新于 {timeOfDay(props.refreshedAt)}</span>
        : <StaleNote why={props.stale} at={props.refreshedAt} onRetry={refresh} />}
      {props.onUpdates && <UpdatesNote count={updates} onShow={props.onUpdates} />}
      <Tooltip title="刷新">
        <Button type="text" aria-label="刷新" loading={props.refreshing} icon={<ReloadOutlined />} onClick={refresh} />
      </Tooltip>
      <Tooltip title={small ? '宽松行高' : '紧凑行高'}>
        <Button
          type="text"
          aria-label="行高"
          icon={<ColumnHeightOutlined />}
          onClick={() => onSettings({ ...settings, density: small ? 'middle' : 'small' })}
        />
      </Tooltip>
      <Popover
        trigger="click"
        placement="bottomRight"
        title="显示的列"
        content={
          <div className="column-settings">
            <Checkbox.Group
              options={columns.map(({ key, title }) => ({ value: key, label: title }))}
              value={[...settings.shown]}
              onChange={(shown: string[]) => shown.length > 0 && onSettings({ ...settings, shown })}
            />
            <Button size="small" type="link" onClick={props.onReset}>
              恢复默认
            </Button>
          </div>
        }
      >
        <Button type="text" aria-label="列设置" icon={<SettingOutlined />} />
      </Popover>
      {props.onExport && (
        <Tooltip title={props.exporting ? '正在导出，进度见页面右上角' : '导出筛选结果（CSV）'}>
          <Button type="text" aria-label={props.exporting ? '正在导出' : '导出'} loading={props.exporting} icon={<DownloadOutlined />} onClick={exportRows} />
        </Tooltip>
      )}
    </div>
  )
}
