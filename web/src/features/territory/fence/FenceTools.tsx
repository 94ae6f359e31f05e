import { DownloadOutlined, ImportOutlined } from '@ant-design/icons'
import { App, Button, Dropdown } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { Query } from '@/api/shapes'
import { TOO_MANY } from '@/kit/jobs/jobs'
import { type DrawingFormat, startDrawings } from './exportDrawings'
import type { FenceTypes } from './fence'

// Reading files comes with the dialog, not with the list.
const ImportDialog = lazy(() => import('./import/ImportDialog').then((module) => ({ default: module.ImportDialog })))

interface FenceToolsProps {
  types: FenceTypes
  title: string
  /** What the list shows. */
  asked(): Query
}

/** Brings fences from files, and takes them away as drawings. */
export function FenceTools({ types, title, asked }: FenceToolsProps) {
  const { message } = App.useApp()
  const [importing, setImporting] = useState(false)
  const take = (format: DrawingFormat) => {
    if (!startDrawings(`fence-${types[0]}`, title, asked(), format)) void message.info(TOO_MANY)
  }
  return (
    <>
      <Button icon={<ImportOutlined />} onClick={() => setImporting(true)}>
        导入
      </Button>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'geojson', label: '导出 GeoJSON', onClick: () => take('geojson') },
            { key: 'kml', label: '导出 KML', onClick: () => take('kml') },
          ],
        }}
      >
        <Button icon={<DownloadOutlined />}>导出图形</Button>
      </Dropdown>
      {importing && (
        <Suspense fallback={null}>
          <ImportDialog types={types} onClose={() => setImporting(false)} />
        </Suspense>
      )}
    </>
  )
}
