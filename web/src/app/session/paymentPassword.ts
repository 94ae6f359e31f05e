/** The payment password lives at the payment provider: we ask for a link and open it in a tab of its own. */
import { api, failureText, HttpError } from '@/api/client'
import { hosts } from '@/api/hosts'
import { notify } from '../notify'

/** To change a known password, or to set a new one for a forgotten one. */
export type PasswordTask = 'change' | 'reset'

/** The type of the call; accounts whose type is set have calls of their own. 0 counts as set. */
export function paymentCallType(task: PasswordTask, accountType: string | null): string {
  const plain = task === 'change' ? 'MODIFY' : 'FORGET'
  const isSet = accountType !== null && accountType !== '' && accountType !== 'null'
  return isSet ? `B_${plain}` : plain
}

/** An address that may be opened: http or https, nothing else. A path is one of the host that was asked. */
export function openableUrl(text: unknown): string | null {
  if (typeof text !== 'string') return null
  try {
    const isPath = /^\/(?![/\\])/.test(text)
    const { protocol, href } = isPath ? new URL(text, new URL(hosts.financial, window.location.href)) : new URL(text)
    return protocol === 'http:' || protocol === 'https:' ? href : null
  } catch {
    return null
  }
}

/** Opens the page of the provider. The tab is opened first, within the click: later it would be blocked. */
export async function openPaymentPassword(task: PasswordTask): Promise<void> {
  const tab = window.open('about:blank', '_blank')
  if (tab === null) return notify.error('错误', '浏览器阻止了新窗口，请允许本站打开窗口后重试')
  const callType = paymentCallType(task, localStorage.getItem('accountType'))
  try {
    const answer = await api.post('/Pay/customer/modifyPwd', { callType })
    const url = openableUrl(answer?.redirectUrl)
    if (url === null) throw new Error('no address')
    tab.opener = null
    tab.location.replace(url)
  } catch (error) {
    tab.close()
    const said = error instanceof HttpError && [0, 401, 403, 404].includes(error.status)
    if (!said) notify.error('错误', failureText(error, '未获取到支付密码页面，请稍后再试'))
  }
}
