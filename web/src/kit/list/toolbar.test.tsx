import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { api } from '@/api/client'
import { says, type Server, startServer, TOKEN } from '@/api/server.fixture'
import { clearSignature, saveSignature } from '@/api/storage'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { Toolbar } from './Toolbar'

const ROWS = '/platform/permission/role'

let server: Server
beforeEach(() => {
  localStorage.setItem('Access-Token', TOKEN)
  saveSignature({ _t: 't', _k: toBase64Url(randomBytes(32)) }, Date.now())
  server = startServer()
  server.answers(ROWS, says({ suc: true, data: [] }))
  server.answers(`${ROWS}/export`, says([]))
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  clearSignature()
  localStorage.clear()
})

const show = (exporting: boolean) =>
  render(
    <Toolbar
      columns={[]}
      settings={{ shown: [], density: 'middle' }}
      onSettings={() => undefined}
      onReset={() => undefined}
      refreshedAt={0}
      stale={null}
      refreshing={false}
      onRefresh={() => void api.get(ROWS)}
      exporting={exporting}
      onExport={() => void api.download(`${ROWS}/export`)}
    />,
  )

describe('the buttons of a list', () => {
  it.each([
    ['刷新', ROWS],
    ['导出', `${ROWS}/export`],
  ])('VAL-015 a double click on %s sends one request, a click after its time another', async (name, path) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(10_000)
    show(false)
    const button = screen.getByRole('button', { name })
    const doubleClick = () => {
      fireEvent.click(button)
      fireEvent.click(button)
      fireEvent.doubleClick(button)
    }
    doubleClick()
    await vi.waitFor(() => expect(server.paths()).toEqual([path]))
    now.mockReturnValue(10_999)
    doubleClick()
    now.mockReturnValue(11_000)
    doubleClick()
    await vi.waitFor(() => expect(server.paths()).toEqual([path, path]))
  })

  it('the list is not taken twice at once: the button says that it is being taken', async () => {
    show(true)
    fireEvent.click(screen.getByRole('button', { name: '正在导出' }))
    expect(screen.queryByRole('button', { name: '导出' })).toBeNull()
    await new Promise((wake) => setTimeout(wake))
    expect(server.paths()).toEqual([])
  })
})
