import { Alert, Button } from 'antd'
import type { Obstacle } from '../session/loginFlow'
import { deviceCode, deviceName } from '../session/device'

/** Why the visitor is still outside, when there is something that he can do about it. */
export interface Notice {
  about: Exclude<Obstacle, 'other'> | 'left'
  text: string
}

/** The device as an administrator will find it in his list. */
function ThisDevice() {
  return (
    <dl className="login-device">
      <div>
        <dt>本设备</dt>
        <dd>{deviceName(navigator.userAgent)}</dd>
      </div>
      <div>
        <dt>设备编号</dt>
        <dd className="figure">…{deviceCode().slice(-6)}</dd>
      </div>
    </dl>
  )
}

/** Says above the form what stands in the way, and how to go on. */
export function LoginNotice({ notice, busy, onRetry }: { notice: Notice; busy: boolean; onRetry(): void }) {
  const { about, text } = notice
  if (about === 'left') return <Alert className="login-notice" type="info" showIcon title={text} />
  if (about === 'link') {
    return (
      <Alert
        className="login-notice"
        type="warning"
        showIcon
        title={text}
        description="链接在生成后 60 秒内有效，且只能使用一次。请回到原来的系统重新打开，或在下面用短信验证码登录。"
      />
    )
  }
  return (
    <Alert
      className="login-notice"
      type="warning"
      showIcon
      title={text}
      description={
        <>
          <p>您的申请已送达。请联系能打开「权限管理 › 人员列表」的管理员，在待授权设备中确认本设备，然后点「重试」；验证码不必重新获取。</p>
          <ThisDevice />
          <Button size="small" loading={busy} onClick={onRetry}>
            重试
          </Button>
        </>
      }
    />
  )
}
