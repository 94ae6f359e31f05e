import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toBase64Url, utf8 } from '@/api/bytes'
import { lost, PHONE, says, type Server, startServer } from '@/api/server.fixture'
import { forgetFarewell, sayOnLogin } from '../session/tabs'
import { clearSession, isLoggedIn } from '../session/stored'
import { LoginForm } from './LoginForm'

const DEVICE = '/mieba/platform/opman/device/verification'
const reload = vi.fn<() => void>()

let server: Server
beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  clearSession()
  forgetFarewell()
  server = startServer()
  reload.mockClear()
  vi.spyOn(window.location, 'reload').mockImplementation(reload)
  window.location.hash = '/login'
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  // antd's messages stand outside of what is cleaned up.
  document.body.innerHTML = ''
})

const show = () =>
  render(
    <ConfigProvider button={{ autoInsertSpace: false }}>
      <App message={{ duration: 0 }}>
        <LoginForm />
      </App>
    </ConfigProvider>,
  )
const phoneField = () => screen.getByLabelText<HTMLInputElement>('手机号')
const codeField = () => screen.getByLabelText<HTMLInputElement>('验证码')
const sendButton = () => screen.getByRole<HTMLButtonElement>('button', { name: /发送/ })
const type = (field: HTMLInputElement, value: string) => fireEvent.change(field, { target: { value } })
const submit = () => fireEvent.click(screen.getByRole('button', { name: '登录' }))
/** The message with `text`, and of which kind it is. */
const message = async (text: string) => {
  const found = await screen.findByText(text)
  return /ant-message-notice-(success|warning|error)/.exec(found.closest('.ant-message-notice')?.className ?? '')?.[1]
}

describe('the fields', () => {
  it('LOGIN-001 LOGIN-002 CONST-003 the phone takes eleven characters and says what it is for', () => {
    show()
    expect(phoneField().maxLength).toBe(11)
    expect(phoneField().placeholder).toBe('请输入手机号')
  })

  it('LOGIN-003 CONST-002 the code takes six characters', () => {
    show()
    expect(codeField().maxLength).toBe(6)
  })

  it('VAL-009 the code field keeps digits', () => {
    show()
    type(codeField(), '123')
    expect(codeField().value).toBe('123')
  })

  it('VAL-010 VAL-011 AMB-085 anything else empties it and says so', async () => {
    show()
    type(codeField(), '12a')
    expect(codeField().value).toBe('')
    expect(await message('请输入数字')).toBe('warning')
  })
})

describe('sending a code', () => {
  const send = () => fireEvent.click(sendButton())

  it('LOGIN-004 SMS-001 the ready button reads 发送验证码', () => {
    show()
    expect(sendButton().textContent).toBe('发送验证码')
    expect(sendButton().disabled).toBe(false)
  })

  it.each(['', '1381234567'])('VAL-001 VAL-002 ERR-012 the phone "%s" is warned of, and nothing is sent', async (phone) => {
    show()
    type(phoneField(), phone)
    send()
    expect(await message('无效的手机号码')).toBe('warning')
    expect(server.sent).toEqual([])
  })

  it('VAL-003 only the length is looked at', async () => {
    show()
    type(phoneField(), 'abcdefghijk')
    send()
    await waitFor(() => expect(server.sent[0]?.content).toMatchObject({ mobilePhoneNumber: 'abcdefghijk' }))
  })

  it('SMS-002 SMS-003 SMS-004 SMS-006 LOGIN-005 VAL-004 CONST-001 ERR-015 a sent code greys the button for sixty seconds', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    show()
    type(phoneField(), PHONE)
    send()
    expect(await message('短信发送成功')).toBe('success')
    expect(sendButton().textContent).toBe('重新发送(60s)')
    expect(sendButton().disabled).toBe(true)
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(sendButton().textContent).toBe('重新发送(59s)')
    send()
    expect(server.paths()).toEqual(['/auth/sms/code'])
    await act(() => vi.advanceTimersByTimeAsync(58_000))
    expect(sendButton().disabled).toBe(true)
    await act(() => vi.advanceTimersByTimeAsync(1500))
    expect(sendButton().textContent).toBe('发送验证码')
    expect(sendButton().disabled).toBe(false)
  })

  it('SMS-005 ERR-014 a failed send shows the words of the server and leaves the button ready', async () => {
    server.answers('/auth/sms/code', says({ error: '短信发送失败，请稍后重试' }))
    show()
    type(phoneField(), PHONE)
    send()
    expect(await message('短信发送失败，请稍后重试')).toBe('error')
    await waitFor(() => expect(sendButton().className).not.toContain('loading'))
    expect(sendButton().textContent).toBe('发送验证码')
    expect(sendButton().disabled).toBe(false)
  })
})

describe('logging in', () => {
  it.each(['12012345678', '1381234567a'])('FLOW-001 VAL-005 ERR-016 the phone %s is warned of, and nothing is sent', async (phone) => {
    show()
    type(phoneField(), phone)
    type(codeField(), '135790')
    submit()
    expect(await message('手机号格式不正确')).toBe('warning')
    expect(server.sent).toEqual([])
  })

  it.each(['', '12345'])('FLOW-001 VAL-007 VAL-008 ERR-017 the code "%s" is warned of, and nothing is sent', async (code) => {
    show()
    type(phoneField(), PHONE)
    if (code !== '') type(codeField(), code)
    submit()
    expect(await message('无效的验证码')).toBe('warning')
    expect(server.sent).toEqual([])
  })

  it.each(['13012345678', '19912345678'])('VAL-006 the phone %s passes', async (phone) => {
    server.answers(DEVICE, lost)
    show()
    type(phoneField(), phone)
    type(codeField(), '135790')
    submit()
    await waitFor(() => expect(server.paths()).toEqual([DEVICE]))
  })

  it('LOGIN-006 VAL-012 ERR-018 Enter in the code field logs in as the button does, and leads back', async () => {
    window.location.hash = '/login?redirect=%2Fpermissions%2Frole'
    show()
    type(phoneField(), PHONE)
    type(codeField(), '135790')
    fireEvent.submit(codeField())
    expect(await message('短信验证成功')).toBe('success')
    await waitFor(() => expect(reload).toHaveBeenCalledOnce())
    expect(window.location.hash).toBe('#/permissions/role')
    expect(isLoggedIn()).toBe(true)
  })

  it('ACCESS-022 a way back that leaves the application is not followed', async () => {
    window.location.hash = '/login?redirect=https%3A%2F%2Fevil.example'
    show()
    type(phoneField(), PHONE)
    type(codeField(), '135790')
    submit()
    await waitFor(() => expect(reload).toHaveBeenCalledOnce())
    expect(window.location.hash).toBe('#/')
  })

  it('ERR-024 a device that has to be confirmed: what to do, and a second try with the same code', async () => {
    // Other words than the ones that stand in for a server without words.
    server.answers(DEVICE, says({ suc: false, error: { code: 'device-not-authorised', promt: '设备数量已满，请先停用一台' } }))
    show()
    type(phoneField(), PHONE)
    type(codeField(), '135790')
    submit()
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('设备数量已满，请先停用一台')
    expect(alert.textContent).toContain('人员列表')
    expect(alert.textContent).toContain((localStorage.getItem('device_code') ?? 'none').slice(-6))
    server.answers(DEVICE, says({ suc: true }))
    fireEvent.click(screen.getByRole('button', { name: '重试' }))
    await waitFor(() => expect(reload).toHaveBeenCalledOnce())
    expect(isLoggedIn()).toBe(true)
  })

  it('who was logged out in another tab is told so', async () => {
    sayOnLogin('您已在另一个标签页退出登录')
    show()
    expect((await screen.findByRole('alert')).textContent).toContain('您已在另一个标签页退出登录')
  })

  it('why one is out stands however often the page is drawn anew, and goes with the next attempt', async () => {
    sayOnLogin('账号已停用，请联系管理员')
    show()
    cleanup()
    show()
    expect((await screen.findByRole('alert')).textContent).toContain('账号已停用')
    server.answers('/platform/permission/login', says({ suc: false, error: { promot: '验证码错误' } }))
    type(phoneField(), PHONE)
    type(codeField(), '123456')
    submit()
    await message('验证码错误')
    cleanup()
    show()
    expect(screen.queryByText(/账号已停用/)).toBeNull()
  })
})

describe('quick login', () => {
  const openLink = (age_ms: number) => {
    const said = JSON.stringify({ phone: PHONE, ts: Date.now() - age_ms, nonce: 'n' })
    window.location.hash = `/login?origin=${toBase64Url(utf8(said))}.signed`
    show()
  }

  it('LOGIN-007 QUICK-001 QUICK-002 QUICK-006 CONST-004 a link aged 59 s signs in without a click', async () => {
    openLink(59_000)
    await waitFor(() => expect(reload).toHaveBeenCalledOnce())
    expect(isLoggedIn()).toBe(true)
    expect(server.paths()).not.toContain('/auth/sms/verify')
  })

  it('QUICK-003 CONST-004 a link aged 60 s leaves the login form, and says so', async () => {
    openLink(60_000)
    expect((await screen.findByRole('alert')).textContent).toContain('登录链接已失效')
    expect(server.sent).toEqual([])
    expect(phoneField().disabled).toBe(false)
  })

  it('QUICK-004 QUICK-005 an accepted link sets the phone and stores it', async () => {
    server.answers(DEVICE, lost)
    openLink(0)
    await waitFor(() => expect(phoneField().value).toBe(PHONE))
    expect(localStorage.getItem('opMan')).toBe(PHONE)
  })

  it('QUICK-007 a link that the server refuses says what to do', async () => {
    server.answers('/auth/login/authorized', says({ suc: false, error: { code: 'link-expired', promot: '登录链接已失效' } }))
    openLink(1000)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('登录链接已失效')
    expect(alert.textContent).toContain('只能使用一次')
    expect(isLoggedIn()).toBe(false)
  })
})
