import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { api } from '@/api/client'
import { says, startServer, TOKEN } from '@/api/server.fixture'
import { clearSignature, saveSignature } from '@/api/storage'
import type { ListDescription } from './description'
import { exportList, exportNotice, fileName } from './export'

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

const saved: { name: string; text: Promise<string> }[] = []

beforeEach(() => {
  saved.length = 0
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
  vi.unstubAllGlobals()
  clearSignature()
  localStorage.clear()
})

describe('a list as a file', () => {
  it('is made by the server where it does so, under the name that the server gave', async () => {
    const disposition = "attachment; filename=\"stall-1.csv\"; filename*=UTF-8''%E6%91%8A%E4%BD%8D-1.csv"
    const headers = { 'X-Rows': '50000', 'X-Capped': 'true', 'Content-Disposition': disposition }
    const download = vi.spyOn(api, 'download').mockResolvedValue(new Response('名称\r\n', { headers }))
    const done = await exportList({ ...stalls, exported: true }, { keyword: '城' }, stalls.columns)
    expect(download).toHaveBeenCalledWith(`${STALLS}/export`, { keyword: '城', columns: 'name' })
    expect(saved.map(({ name }) => name)).toEqual(['摊位-1.csv'])
    expect(exportNotice(done)).toEqual({ kind: 'warning', text: '只导出了前 50000 条，请缩小筛选范围' })
  })

  it('is told of before the page hands it out, and not handed out when the server refuses', async () => {
    localStorage.setItem('Access-Token', TOKEN)
    saveSignature({ _t: 't', _k: toBase64Url(randomBytes(32)) }, Date.now())
    const server = startServer()
    server.answers(STALLS, says({ suc: true, data: { rows: [{ name: '=1+1' }], count: 1 } }))
    server.answers(ACCESS, says({ suc: true, data: {} }))
    const done = await exportList(stalls, { keyword: '1' }, stalls.columns)
    expect(server.sent.find(({ path }) => path === ACCESS)?.content).toEqual({ kind: 'export', what: 'stall', filter: { keyword: '1' }, rows: 1 })
    expect(await saved[0]?.text).toContain("'=1+1")
    expect(exportNotice(done).text).toBe('已导出 1 条')
    server.answers(ACCESS, says({ suc: false, error: { promot: '不行' } }))
    await expect(exportList(stalls, {}, stalls.columns)).rejects.toMatchObject({ text: '不行' })
    expect(saved).toHaveLength(1)
  })

  it('has a name of its own where the server gave none that can be read', () => {
    expect(fileName(null)).toBeNull()
    expect(fileName('attachment; filename="a.csv"')).toBeNull()
    expect(fileName("attachment; filename*=UTF-8''%E6%9")).toBeNull()
  })
})
