import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { api } from '@/api/client'
import { says, startServer, TOKEN } from '@/api/server.fixture'
import { clearSignature, saveSignature } from '@/api/storage'
import { currentJobs, forgetJobs, type Work } from '../jobs/store'
import type { ListDescription } from './description'
import { exportList, exportNotice, type Exported, fileName, startExport } from './export'

const STALLS = '/platform/permission/role'
const ACCESS = '/platform/aliyunlog/access'

interface Stall {
  name: string
}

const stalls: ListDescription<Stall> = {
  id: 'stall',
  title: '摊位',
  purpose: '',
  path: STALLS,
  rowKey: (row) => row.name,
  filters: [],
  columns: [{ key: 'name', title: '名称', text: (row) => row.name }],
  emptyText: '',
}

const report = vi.fn<Work['report']>()
let controller = new AbortController()
const work = (): Work => ({ report, signal: controller.signal })

/** A file that comes piece by piece. */
function arriving(pieces: readonly string[], headers: Record<string, string> = {}, broken = false) {
  const encoder = new TextEncoder()
  const left = [...pieces]
  const body = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      const next = left.shift()
      if (next !== undefined) stream.enqueue(encoder.encode(next))
      else if (broken) stream.error(new TypeError('network error'))
      else stream.close()
    },
  })
  return vi.spyOn(api, 'download').mockResolvedValue(new Response(body, { headers }))
}

const fromServer = () => exportList({ ...stalls, exported: true }, {}, stalls.columns, work())

const saved: { name: string; text: Promise<string> }[] = []

beforeEach(() => {
  saved.length = 0
  controller = new AbortController()
  let content: Blob
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    content = blob as Blob
    return 'blob:x'
  })
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => {})
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push({ name: this.download, text: content.text() })
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  report.mockClear()
  vi.unstubAllGlobals()
  clearSignature()
  localStorage.clear()
})

describe('a list as a file', () => {
  it('is made by the server where it does so, under the name that the server gave', async () => {
    const disposition = "attachment; filename=\"stall-1.csv\"; filename*=UTF-8''%E6%91%8A%E4%BD%8D-1.csv"
    const headers = { 'X-Rows': '50000', 'X-Capped': 'true', 'Content-Disposition': disposition }
    const download = vi.spyOn(api, 'download').mockResolvedValue(new Response('名称\r\n', { headers }))
    const done = await exportList({ ...stalls, exported: true }, { keyword: '城' }, stalls.columns, work())
    expect(download).toHaveBeenCalledWith(`${STALLS}/export`, { keyword: '城', columns: 'name' }, { signal: controller.signal, quiet: true })
    expect(saved.map(({ name }) => name)).toEqual(['摊位-1.csv'])
    expect(exportNotice(done)).toEqual({ kind: 'warning', text: '只导出了前 50000 条，请缩小筛选范围' })
  })

  it('is told of before the page hands it out, and not handed out when the server refuses', async () => {
    localStorage.setItem('Access-Token', TOKEN)
    saveSignature({ _t: 't', _k: toBase64Url(randomBytes(32)) }, Date.now())
    const server = startServer()
    server.answers(STALLS, says({ suc: true, data: { rows: [{ name: '=1+1' }], count: 1 } }))
    server.answers(ACCESS, says({ suc: true, data: {} }))
    const done = await exportList(stalls, { keyword: '1' }, stalls.columns, work())
    expect(server.sent.find(({ path }) => path === ACCESS)?.content).toEqual({ kind: 'export', what: 'stall', filter: { keyword: '1' }, rows: 1 })
    expect(await saved[0]?.text).toContain("'=1+1")
    expect(exportNotice(done).text).toBe('已导出 1 条')
    server.answers(ACCESS, says({ suc: false, error: { promot: '不行' } }))
    await expect(exportList(stalls, {}, stalls.columns, work())).rejects.toMatchObject({ text: '不行' })
    expect(saved).toHaveLength(1)
  })

  it('is told of as it comes: how much of how much, or how much alone', async () => {
    arriving(['12345', '678'], { 'Content-Length': '8' })
    await fromServer()
    expect(report.mock.calls).toEqual([[0, 8], [5, 8], [8, 8]])
    report.mockClear()
    // Packed for the way: its length says nothing of what is unpacked.
    arriving(['12345'], { 'Content-Length': '3', 'Content-Encoding': 'gzip' })
    await fromServer()
    expect(report.mock.calls).toEqual([[0, null], [5, null]])
    report.mockClear()
    arriving(['12345'], { 'Content-Length': '3' })
    await fromServer()
    expect(report.mock.calls).toEqual([[0, 3], [5, null]])
    expect(await saved[2]?.text).toBe('12345')
  })

  it('of which a part is missing is not handed out', async () => {
    arriving(['12345'], { 'Content-Length': '8' }, true)
    await expect(fromServer()).rejects.toMatchObject({ status: 0, text: '网络出现问题，请稍后再试' })
    expect(saved).toEqual([])
  })

  it('that is cancelled ends its request and is not handed out', async () => {
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
      controller.abort()
      return signal?.aborted ? Promise.reject(new DOMException('', 'AbortError')) : Promise.resolve(new Response('名称'))
    })
    await expect(fromServer()).rejects.toMatchObject({ name: 'AbortError' })
    expect(saved).toEqual([])
  })

  it('counts the rows that the page asks for', async () => {
    localStorage.setItem('Access-Token', TOKEN)
    saveSignature({ _t: 't', _k: toBase64Url(randomBytes(32)) }, Date.now())
    const server = startServer()
    const rows = Array.from({ length: 200 }, (_, index) => ({ name: `r${index}` }))
    let page = 0
    server.answers(STALLS, () => says({ suc: true, data: { rows: (page += 1) === 1 ? rows : rows.slice(0, 50), count: 250 } }))
    server.answers(ACCESS, says({ suc: true, data: {} }))
    await exportList(stalls, {}, stalls.columns, work())
    expect(report.mock.calls).toEqual([[200, 250, '条'], [250, 250, '条']])
  })

  it('is not made twice at once', async () => {
    const finish: ((exported: Exported) => void)[] = []
    const make = () => new Promise<Exported>((resolve) => finish.push(resolve))
    expect(startExport('stall', '摊位', make)).toBe(true)
    expect(startExport('stall', '摊位', make)).toBe(false)
    expect(startExport('role', '角色', make)).toBe(true)
    finish[1]?.({ rows: 3, capped: false })
    await vi.waitFor(() => expect(currentJobs()[1]).toMatchObject({ title: '导出「角色」', state: 'done', result: { text: '已导出 3 条' } }))
    forgetJobs()
  })

  it('has a name of its own where the server gave none that can be read', () => {
    expect(fileName(null)).toBeNull()
    expect(fileName('attachment; filename="a.csv"')).toBeNull()
    expect(fileName("attachment; filename*=UTF-8''%E6%9")).toBeNull()
  })
})
