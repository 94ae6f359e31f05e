import { DownloadOutlined } from '@ant-design/icons'
import { Button, Table } from 'antd'
import { csvText, saveFile } from '@/kit/list/csv'
import type { Fault } from './drawings'

interface FaultListProps {
  faults: readonly Fault[]
  /** The file that they stand in. */
  file: string
  /** Shows where one lies; absent where there is no map. */
  onShow?(fault: Fault): void
}

/** What could not be taken, row by row, with the way to take it away. */
export function FaultList({ faults, file, onShow }: FaultListProps) {
  const download = () => {
    const lines = [['位置', '名称', '原因'], ...faults.map(({ place, name, text }) => [String(place), name, text])]
    saveFile(`${file}-未导入.csv`, csvText(lines))
  }
  return (
    <div className="import-faults">
      <Table<Fault>
        size="small"
        rowKey={({ place, name, text }) => `${place} ${name} ${text}`}
        dataSource={[...faults]}
        pagination={{ pageSize: 6, showSizeChanger: false, hideOnSinglePage: true }}
        columns={[
          { title: '位置', dataIndex: 'place', width: 72 },
          { title: '名称', dataIndex: 'name', width: 160, ellipsis: true },
          { title: '原因', dataIndex: 'text' },
          ...(onShow
            ? [
                {
                  title: '地图',
                  width: 64,
                  render: (_: unknown, fault: Fault) =>
                    (fault.spot || fault.geometry) && (
                      <Button type="link" size="small" aria-label={`在地图上查看 ${fault.name}`} onClick={() => onShow(fault)}>
                        查看
                      </Button>
                    ),
                },
              ]
            : []),
        ]}
      />
      <Button size="small" icon={<DownloadOutlined />} onClick={download}>
        下载这些行
      </Button>
    </div>
  )
}
