import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { App } from 'antd'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { randomBytes, toBase64Url } from '@/api/bytes'
import { setListener } from '@/api/client'
import { lost, says, type Server, startServer, TOKEN, tokenOf, USER } from '@/api/server.fixture'
import { saveSignature } from '@/api/storage'
import { useBrandStore, type WebConfig } from '../brand'
import { useSession } from '../session/store'
import { clearSession } from '../session/stored'
import { ChatWidget } from './ChatWidget'
import { scriptAddress } from './vendor'

const REGISTRATION = '/platform/permission/user/bangwo8'

let server: Server
beforeEach(() => {
  localStorage.clear()
  scriptsLoad(false)
  server = startServer()
  server.answers(REGISTRATION, says({ suc: true, data: { url: '' } }))
  localStorage.setItem('Access-Token', TOKEN)
  localStorage.setItem('objectId', '900')
  saveSignature({ _t: 't', _k: toBase64Url(randomBytes(32)) }, Date.now())
  useSession.setState({ user: USER })
})
afterEach(() => {
  cleanup()
  clearSession()
  useSession.setState({ user: null })
  useBrandStore.setState({ config: null })
  vi.unstubAllGlobals()
  document.head.innerHTML = ''
})

/** Whether scripts seem to load; the document of these tests loads none. */
function scriptsLoad(well: boolean): void {
  const { happyDOM } = window as unknown as { happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } } }
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = well
}

const show = () =>
  render(
    <App>
      <ChatWidget />
    </App>,
  )
const launcher = () => screen.queryByRole('button', { name: '在线客服' })
const open = () => fireEvent.click(launcher() ?? document.body)
const configure = (chatScript: string) => useBrandStore.setState({ config: { chatScript, company: '某某公司' } as WebConfig })

describe('the customer-service tool', () => {
  const registrations = () => server.sent.filter((call) => call.path === REGISTRATION)
  /** The page as it is loaded again. */
  const reload = () => {
    cleanup()
    show()
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 30))

  it('API-025 AMB-054 learns of who signed in, without a chat script too, once in his session', async () => {
    configure('')
    show()
    await vi.waitFor(() => expect(registrations()).toHaveLength(1))
    const [sent] = registrations()
    expect(sent?.method).toBe('POST')
    expect(sent?.content).toEqual({ name: '王小明', phone: '13812345678', company: '某某公司', objectId: '900' })
    await settle()
    reload()
    await settle()
    expect(registrations()).toHaveLength(1)

    // He signs in again.
    localStorage.setItem('Access-Token', tokenOf({ userId: '900', sid: 's2' }))
    reload()
    await vi.waitFor(() => expect(registrations()).toHaveLength(2))
  })

  it.each([
    ['a refusal', says({ suc: false, error: { promot: '服务暂停' } })],
    ['no permission', says({ message: '没有权限' }, 403)],
    ['no answer', lost],
  ])('AMB-054 %s is silent, the launcher stays, and the next page tries again', async (_what, answer) => {
    const told = vi.fn<(title: string, description: string) => void>()
    setListener({ failed: told, signedOut: () => {} })
    server.answers(REGISTRATION, answer)
    show()
    await vi.waitFor(() => expect(registrations()).toHaveLength(1))
    await settle()
    expect(told).not.toHaveBeenCalled()
    expect(document.body.textContent).toBe('')
    reload()
    await vi.waitFor(() => expect(registrations()).toHaveLength(2))
  })

  it('CHAT-002 learns nothing of a visitor who did not sign in', async () => {
    useSession.setState({ user: null })
    show()
    await settle()
    expect(registrations()).toEqual([])
  })
})

describe('the chat widget', () => {
  it('CHAT-001 its launcher is there for who is logged in', () => {
    configure('./chat.js')
    show()
    expect(launcher()).not.toBeNull()
  })

  it('there is none where no customer service is connected: nobody would answer', () => {
    configure('')
    show()
    expect(launcher()).toBeNull()
  })

  it('CHAT-002 there is none for an anonymous visitor', () => {
    configure('./chat.js')
    useSession.setState({ user: null })
    show()
    expect(launcher()).toBeNull()
  })

  it('VAL-014 opening it when the session is gone is refused with the alert', async () => {
    configure('./chat.js')
    show()
    clearSession()
    open()
    expect(await screen.findByText('尊敬的用户，您好，登录后才可以和我聊天哦！')).toBeTruthy()
    expect(screen.queryByRole('dialog', { name: '在线客服' })).toBeNull()
  })

  it('AMB-042 when the script does not come the panel of the system opens, says so, and closes', async () => {
    configure('./never.js')
    show()
    open()
    expect((await screen.findByRole('dialog', { name: '在线客服' })).textContent).toContain('客服程序未能加载')
    expect(screen.getByText('王小明 13812345678')).toBeTruthy()
    fireEvent.keyDown(document, { key: 'Escape' })
    expect(screen.queryByRole('dialog', { name: '在线客服' })).toBeNull()
  })

  it('AMB-042 the address of the script is configuration: it is loaded when somebody opens the chat', async () => {
    const opened = vi.fn<(visitor: unknown) => void>()
    vi.stubGlobal('customerChat', { open: opened })
    scriptsLoad(true)
    configure('./chat.js')
    show()
    expect(document.querySelector('script')).toBeNull()
    open()
    expect(document.querySelector('script')?.src).toBe(new URL('./chat.js', document.baseURI).href)
    await vi.waitFor(() => expect(opened).toHaveBeenCalledWith({ name: '王小明', phone: '13812345678', company: '某某公司', objectId: '900' }))
    expect(screen.queryByRole('dialog', { name: '在线客服' })).toBeNull()
  })

  it('a script that does not come is told of, and tried again', async () => {
    const opened = vi.fn<(visitor: unknown) => void>()
    vi.stubGlobal('customerChat', { open: opened })
    configure('./gone.js')
    show()
    open()
    expect((await screen.findByRole('dialog', { name: '在线客服' })).textContent).toContain('客服程序未能加载')
    scriptsLoad(true)
    open()
    await vi.waitFor(() => expect(opened).toHaveBeenCalledOnce())
  })

  it('only addresses of the web are loaded', () => {
    expect(scriptAddress('', 'http://a.example/')).toBeNull()
    expect(scriptAddress('data:text/javascript,1', 'http://a.example/')).toBeNull()
    expect(scriptAddress('https://b.example/c.js', 'http://a.example/')).toBe('https://b.example/c.js')
  })
})
