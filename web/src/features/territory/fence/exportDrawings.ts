/** The fences of a list as drawings for other tools: GeoJSON as the server makes it, or KML of the same. */
import { api } from '@/api/client'
import { exportKey, exportNotice, fileName } from '@/kit/list/export'
import { saveFile } from '@/kit/list/csv'
import { startJob } from '@/kit/jobs/store'
import type { Query } from '@/api/shapes'

export type DrawingFormat = 'geojson' | 'kml'

const MEDIA_TYPES: Readonly<Record<DrawingFormat, string>> = { geojson: 'application/geo+json', kml: 'application/vnd.google-earth.kml+xml' }

/** What the file is, in the form that is asked for. */
async function written(file: Blob, format: DrawingFormat): Promise<Blob> {
  if (format === 'geojson') return file
  const { toKML } = await import('@placemarkio/tokml')
  const features = JSON.parse(await file.text()) as Parameters<typeof toKML>[0]
  return new Blob([toKML(features)], { type: MEDIA_TYPES.kml })
}

/** Makes the file as a job. False when one is being made already. */
export function startDrawings(id: string, title: string, query: Query, format: DrawingFormat): boolean {
  return startJob({
    key: `${exportKey(id)}:drawings`,
    title: `导出「${title}」的图形`,
    otherwise: '导出失败',
    run: async ({ report, signal }) => {
      const options = { signal, quiet: true }
      const response = await api.download('/fence/drawings', query, options)
      const rows = response.headers.get('X-Rows')
      const capped = response.headers.get('X-Capped') === 'true'
      const name = fileName(response.headers.get('Content-Disposition')) ?? `${title}.geojson`
      saveFile(name.replace(/geojson$/, format), await written(await api.received(response, report, options), format))
      return exportNotice({ rows: rows === null ? null : Number(rows), capped })
    },
  })
}
