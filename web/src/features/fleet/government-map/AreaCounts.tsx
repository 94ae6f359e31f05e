import { CloseOutlined, DownloadOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Skeleton } from 'antd'

import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { csvText, saveFile } from '@/kit/list/csv'

import { filterStyles } from '../operation-map/mapFilter'
import '../operation-map/mapTable.css'
import { countRows, type CountRow } from './counts'

interface AreaCountsProps {
  names: readonly { value: string; label: string }[]
  /** Ids of the areas that are looked at; none: all. */
  chosen: readonly string[]
  onClose: () => void
}

/** Bikes go and come. */
const EVERY_MS = 5_000
const whole = new Intl.NumberFormat('zh-CN')
const heads = ['服务区', '上架', '可租', '骑行中', '停运', '离线'] as const

/** How many bikes each area has, and in which state. */
export function AreaCounts({ names, chosen, onClose }: AreaCountsProps) {
  const asked = useQuery({
    queryKey: ['vehicle', 'map', 'areas'],
    queryFn: ({ signal }) => api.get('/vehicle/map/areas', {}, { signal, quiet: true }),
    refetchInterval: EVERY_MS,
  })
  const rows = asked.data === undefined ? [] : countRows(asked.data.areas, names, chosen)
  return (
    <aside className="opmap-drawer" aria-label="各服务区车辆">
      <header className="opmap-drawer-head">
        <h2>各服务区车辆</h2>
        <div>
          <Button icon={<DownloadOutlined />} disabled={asked.data === undefined} onClick={() => asked.data !== undefined && download(asked.data, rows)}>
            导出
          </Button>
          <Button type="text" aria-label="关闭" icon={<CloseOutlined />} onClick={onClose} />
        </div>
      </header>
      <div className="opmap-drawer-body">
        <LoadFailure query={asked} text="各服务区的车辆数没有取到" />
        {asked.isLoading && <Skeleton active />}
        {asked.data !== undefined && (
          <>
            <table className="opmap-table">
              <thead>
                <tr>
                  {heads.map((head) => (
                    <th key={head} scope="col">
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id} className={row.id === '' ? 'sum' : undefined}>
                    <th scope="row">{row.name}</th>
                    {row.counts.map((count, at) => (
                      <td key={heads[at + 1]}>{whole.format(count)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
            <p className="opmap-weak">{formatTime(asked.data.at)} 统计。停运：{filterStyles[5].label}，含已下架、报修、拖回与丢失的车辆。</p>
          </>
        )}
      </div>
    </aside>
  )
}

function download(counted: DataOf<'/vehicle/map/areas'>, rows: readonly CountRow[]): void {
  const lines = [[...heads, '统计时间'], ...rows.map((row) => [row.name, ...row.counts.map(String), formatTime(counted.at)])]
  saveFile('各服务区车辆.csv', csvText(lines))
}
