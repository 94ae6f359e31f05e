/** Drawings to the server, part after part: to see what would become of them, or to draw them. */
import { api } from '@/api/client'
import type { BodyOf } from '@/api/shapes'
import type { Work } from '@/kit/jobs/store'
import type { FenceType } from '../fence'
import type { Drawing, Fault } from './drawings'

type ImportBody = BodyOf<'/fence/import'>
type Row = ImportBody['rows'][number]

/** What the server takes at once. */
const ROWS_MOST = 500
/** Well within the length of a request. */
const PART_MOST_BYTES = 400_000

export interface Terms {
  type: FenceType
  opAreaId: string
  datum: string
  /** Kept as drafts, which count for nobody until they are published. */
  draft: boolean
  /** May overlap fences that tell riders the opposite. */
  confirmOverlap: boolean
  /** Of parking places whose row says none. */
  capacity: number
  bufferM: number
}

export interface Outcome {
  made: number
  same: number
  faults: Fault[]
}

/** The row of a drawing on these terms. */
export function rowOf({ name, geometry, capacity, remark }: Drawing, { type, datum, capacity: usual, bufferM }: Terms): Row {
  return {
    name,
    geometry,
    datum,
    remark,
    ...(type === 'parking' ? { capacity: capacity ?? usual, parking: { bufferM } } : {}),
  } as Row
}

/** Rows in their order, in parts that the server takes. */
export function partsOf<T>(rows: readonly T[], most = ROWS_MOST, mostBytes = PART_MOST_BYTES): T[][] {
  const parts: T[][] = []
  let bytes = 0
  for (const row of rows) {
    const size = new TextEncoder().encode(JSON.stringify(row)).length
    const part = parts.at(-1)
    if (part && part.length < most && bytes + size <= mostBytes) {
      part.push(row)
      bytes += size
    } else {
      parts.push([row])
      bytes = size
    }
  }
  return parts
}

/** Sends all; what was drawn when it is stopped stays, and is met as the same when it is sent again. */
export async function send(drawings: readonly Drawing[], terms: Terms, check: boolean, { report, signal }: Work): Promise<Outcome> {
  const whole: Outcome = { made: 0, same: 0, faults: [] }
  let sent = 0
  for (const part of partsOf(drawings)) {
    signal.throwIfAborted()
    const { type, opAreaId, draft, confirmOverlap } = terms
    const rows = part.map((drawing) => rowOf(drawing, terms))
    const { made, same, refused } = await api.post('/fence/import', { type, opAreaId, draft, confirmOverlap, check, rows }, { signal, quiet: true })
    whole.made += made
    whole.same += same
    for (const { row, text, spot } of refused) {
      const { place, name, geometry } = part[row]!
      whole.faults.push({ place, name, text, spot: spot ?? null, geometry })
    }
    sent += part.length
    report(sent, drawings.length, '个')
  }
  return whole
}

/** What came of it, in a sentence. */
export function saidOf({ made, same, faults }: Outcome, draft: boolean): string {
  const said = [`${draft ? '已存为草稿' : '已导入'} ${made.toLocaleString('zh-CN')} 个`]
  if (same > 0) said.push(`${same.toLocaleString('zh-CN')} 个已经存在`)
  if (faults.length > 0) said.push(`${faults.length.toLocaleString('zh-CN')} 个未能导入`)
  return said.join('，')
}
