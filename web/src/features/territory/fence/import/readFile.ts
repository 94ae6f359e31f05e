/** A chosen file as what can be read of it. The parts that read KML and tables come when they are needed. */
import { failureText } from '@/api/client'
import { DRAWINGS_MOST, type Reading, readGeoJson } from './drawings'

/** A file is at most so long. */
export const FILE_MOST_BYTES = 50 * 1024 * 1024

export type Contents = { kind: 'table'; rows: string[][] } | { kind: 'drawings'; reading: Reading }

class Unreadable extends Error {}

/** Why a file could not be read, in words. */
export const whyUnreadable = (error: unknown) => (error instanceof Unreadable ? error.message : failureText(error, '文件读取失败，请重新选择'))

/** What stands in the file; throws what `whyUnreadable` tells. */
export async function contentsOf(file: File): Promise<Contents> {
  if (file.size > FILE_MOST_BYTES) throw new Unreadable('文件超过 50 MB，请拆分后再导入')
  const text = (await file.text()).replace(/^\uFEFF/, '')
  if (text.includes('\uFFFD')) throw new Unreadable('文件不是 UTF-8 编码，请另存为 UTF-8 后再导入')
  const contents = await read(file.name.toLowerCase(), text)
  const count = contents.kind === 'table' ? contents.rows.length - 1 : contents.reading.drawings.length + contents.reading.faults.length
  if (count <= 0) throw new Unreadable('文件里没有围栏')
  if (count > DRAWINGS_MOST) throw new Unreadable(`文件里有 ${count} 个围栏，一次最多 ${DRAWINGS_MOST} 个`)
  return contents
}

async function read(name: string, text: string): Promise<Contents> {
  if (name.endsWith('.kml')) {
    const { kml } = await import('@tmcw/togeojson')
    const document = new DOMParser().parseFromString(text, 'text/xml')
    if (document.querySelector('parsererror')) throw new Unreadable('KML 文件的格式不正确')
    return drawings(kml(document), 'KML')
  }
  if (name.endsWith('.csv') || name.endsWith('.txt')) {
    const { parse } = await import('papaparse')
    return { kind: 'table', rows: parse<string[]>(text, { skipEmptyLines: 'greedy' }).data }
  }
  if (name.endsWith('.json') || name.endsWith('.geojson')) return drawings(parsed(text), 'GeoJSON')
  throw new Unreadable('只能导入 GeoJSON、KML 或 CSV 文件')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function drawings(value: unknown, what: string): Contents {
  const reading = readGeoJson(value)
  if (reading === null) throw new Unreadable(`${what} 文件的格式不正确`)
  return { kind: 'drawings', reading }
}
