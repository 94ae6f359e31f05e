import { LockOutlined, MobileOutlined } from '@ant-design/icons'
import { App, Button, Form, Input } from 'antd'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { safeRedirect, queryParam } from '../access'
import { currentPath } from '../nav'
import { paths } from '../routes'
import { secondsLeft } from '../session/countdown'
import { login, LoginFailure, type Proof, requestCode } from '../session/loginFlow'
import { quickLoginPhone } from '../session/quickLogin'
import { codeInput, loginWarning, sendWarning } from '../session/validation'

const COUNTDOWN_S = 60

function afterHash(): string {
  return currentPath().split('?')[1] ?? ''
}

/** Goes where the visitor came from and reloads, so that nothing of the anonymous page is left. */
function enter(): void {
  const target = safeRedirect(new URLSearchParams(afterHash()).get('redirect')) ?? paths.home
  // Without an event: the anonymous page must not begin to load what the reloaded one will.
  window.history.replaceState(null, '', `#${target}`)
  window.location.reload()
}

/** Counts down after a code was sent; 0 means ready. */
function useCountdown(): [number, () => void] {
  const [startedAt, setStartedAt] = useState<number | null>(null)
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (startedAt === null) return
    const tick = setInterval(() => {
      const seconds = secondsLeft(startedAt, Date.now(), COUNTDOWN_S)
      setLeft(seconds)
      if (seconds === 0) setStartedAt(null)
    }, 250)
    return () => clearInterval(tick)
  }, [startedAt])
  const start = () => {
    setStartedAt(Date.now())
    setLeft(COUNTDOWN_S)
  }
  return [left, start]
}

/** Phone, code, and the login: by hand, or at once by a quick-login link. */
export function LoginForm() {
  const { message } = App.useApp()
  const [phone, setPhone] = useState(() => localStorage.getItem('opMan') ?? '')
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [sending, setSending] = useState(false)
  const [left, startCountdown] = useCountdown()
  const quickLoginTried = useRef(false)

  const run = async (who: string, proof: Proof) => {
    setBusy(true)
    try {
      await login(who, proof, { verified: () => void message.success('短信验证成功') })
      enter()
    } catch (error) {
      void message.error(error instanceof LoginFailure ? error.text : '登录异常')
      setBusy(false)
    }
  }

  const send = async () => {
    if (left > 0 || sending) return
    const warning = sendWarning(phone)
    if (warning) return void message.warning(warning)
    setSending(true)
    try {
      await requestCode(phone)
      void message.success('短信发送成功')
      startCountdown()
    } catch (error) {
      void message.error(error instanceof LoginFailure ? error.text : '短信发送次数超限')
    } finally {
      setSending(false)
    }
  }

  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (busy) return
    const warning = loginWarning(phone, code)
    if (warning) return void message.warning(warning)
    void run(phone, { kind: 'sms', code })
  }

  const changeCode = (text: string) => {
    const { value, warning } = codeInput(text)
    setCode(value)
    if (warning) void message.warning(warning)
  }

  const quickLogin = () => {
    if (quickLoginTried.current) return
    quickLoginTried.current = true
    const origin = queryParam('origin', afterHash(), window.location.search)
    if (origin === null) return
    const linked = quickLoginPhone(origin, Date.now())
    if (linked === null) return void message.error('登录链接已失效')
    setPhone(linked)
    localStorage.setItem('opMan', linked)
    void run(linked, { kind: 'origin', origin })
  }
  // oxlint-disable-next-line react/exhaustive-deps -- once, when the page opens
  useEffect(quickLogin, [])

  return (
    <form className="login-form" onSubmit={submit} noValidate>
      <Form component={false} layout="vertical" size="large" requiredMark={false}>
        <Form.Item label="手机号" htmlFor="phone">
          <Input
            id="phone"
            name="phone"
            prefix={<MobileOutlined aria-hidden />}
            placeholder="请输入手机号"
            maxLength={11}
            inputMode="numeric"
            autoComplete="tel-national"
            autoFocus={phone === ''}
            value={phone}
            disabled={busy}
            onChange={(event) => setPhone(event.target.value)}
          />
        </Form.Item>
        <Form.Item label="验证码" htmlFor="code">
          <div className="login-code">
            <Input
              id="code"
              name="code"
              prefix={<LockOutlined aria-hidden />}
              placeholder="请输入验证码"
              maxLength={6}
              inputMode="numeric"
              autoComplete="one-time-code"
              autoFocus={phone !== ''}
              value={code}
              disabled={busy}
              onChange={(event) => changeCode(event.target.value)}
            />
            <Button className="login-send" disabled={left > 0} loading={sending} onClick={() => void send()}>
              {left > 0 ? `重新发送(${left}s)` : '发送验证码'}
            </Button>
          </div>
        </Form.Item>
        <Button type="primary" htmlType="submit" block loading={busy}>
          登录
        </Button>
      </Form>
    </form>
  )
}
