import { LockOutlined, MobileOutlined } from '@ant-design/icons'
import { App, Button, Form, Input, type InputRef } from 'antd'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { serverNow } from '@/api/clock'
import { queryAfterHash, queryParam } from '../access'
import { currentPath } from '../nav'
import { enter } from '../session/enter'
import { login, LoginFailure, type Proof, requestCode } from '../session/loginFlow'
import { quickLoginPhone } from '../session/quickLogin'
import { farewellWords, forgetFarewell } from '../session/tabs'
import { codeInput, loginWarning, sendWarning } from '../session/validation'
import { LoginNotice, type Notice } from './LoginNotice'
import { useCountdown } from './useCountdown'

interface Attempt {
  phone: string
  proof: Proof
}

/** Phone, code, and the login: by hand, or at once by a quick-login link. */
export function LoginForm() {
  const { message } = App.useApp()
  const [phone, setPhone] = useState(() => localStorage.getItem('opMan') ?? '')
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [sending, setSending] = useState(false)
  const [notice, setNotice] = useState<Notice | null>(null)
  const [left, startCountdown] = useCountdown()
  const opened = useRef(false)
  const lastAttempt = useRef<Attempt | null>(null)
  const codeField = useRef<InputRef>(null)

  const run = async (attempt: Attempt) => {
    lastAttempt.current = attempt
    forgetFarewell()
    setBusy(true)
    try {
      await login(attempt.phone, attempt.proof, { verified: () => void message.success('短信验证成功') })
      enter()
    } catch (error) {
      const failure = error instanceof LoginFailure ? error : new LoginFailure('登录异常')
      const { obstacle, text } = failure
      setNotice(obstacle === 'other' ? null : { about: obstacle, text })
      if (obstacle === 'other') void message.error(text)
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
      codeField.current?.focus()
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
    void run({ phone, proof: { kind: 'sms', code } })
  }

  const changeCode = (text: string) => {
    const { value, warning } = codeInput(text)
    setCode(value)
    if (warning) void message.warning(warning)
  }

  const whenOpened = () => {
    if (opened.current) return
    opened.current = true
    const farewell = farewellWords()
    if (farewell !== null) setNotice({ about: 'left', text: farewell })
    const origin = queryParam('origin', queryAfterHash(currentPath()), window.location.search)
    if (origin === null) return
    const linked = quickLoginPhone(origin, serverNow())
    if (linked === null) return setNotice({ about: 'link', text: '登录链接已失效' })
    setPhone(linked)
    localStorage.setItem('opMan', linked)
    void run({ phone: linked, proof: { kind: 'origin', origin } })
  }
  // oxlint-disable-next-line react/exhaustive-deps -- once, when the page opens
  useEffect(whenOpened, [])

  const retry = () => {
    if (lastAttempt.current && !busy) void run(lastAttempt.current)
  }

  return (
    <form className="login-form" onSubmit={submit} noValidate>
      {notice && <LoginNotice notice={notice} busy={busy} onRetry={retry} />}
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
              ref={codeField}
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
