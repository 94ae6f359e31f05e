import { EMPTY } from '@/kit/format'
import type { Fact } from '@/kit/Facts'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { certificateName } from './identity'
import { authLabel, CLOSED, FAILED, FROZEN, levelLabel, type PaymentAccount, statusTag, typeLabel } from './paymentAccount'

/** What the reason of an account is the reason of. */
const reasonNames: Readonly<Record<number, string>> = { [FAILED]: '未通过的原因', [FROZEN]: '冻结原因', [CLOSED]: '销户原因' }

/** What is known of an account; what identifies people comes masked. The reason of its status may stand elsewhere. */
export function factsOf(account: PaymentAccount, reasonTold = false): Fact[] {
  const reasonName = reasonNames[account.status ?? -1]
  return [
    { name: '状态', value: <Dot {...statusTag(account.status)} /> },
    { name: '客户名称', value: account.customerName },
    { name: '所属代理', value: account.agentName || EMPTY },
    { name: '账户类型', value: typeLabel(account.accountType) },
    { name: '账户级别', value: levelLabel(account.accountLevel) },
    { name: certificateName(account.accountType), value: <span className="figure">{account.certNoMasked || EMPTY}</span> },
    { name: '联系人', value: account.contact || EMPTY },
    { name: '联系手机', value: <span className="figure">{account.phoneMasked || EMPTY}</span> },
    { name: '支付密码', value: account.payPasswordSet ? '已设置' : '未设置' },
    { name: '转账授权', value: authLabel(account.authStatus) },
    { name: '开户时间', value: <Time at={account.openedAt} /> },
    { name: '更新时间', value: <Time at={account.changedAt} /> },
    ...(reasonName && account.failReason && !reasonTold ? [{ name: reasonName, value: account.failReason, whole: true }] : []),
  ]
}
