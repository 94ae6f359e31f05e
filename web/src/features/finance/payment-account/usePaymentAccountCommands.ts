import { useCommand } from '@/kit/useCommand'
import { applyUnbinding, bindCard, checkCard, CUSTOMER, decideUnbinding, openAccount, sendCardCode, setStatus } from './paymentAccount'

/** Everything that is known of accounts. */
const stale = [[CUSTOMER]] as const

export const useOpenAccount = () => useCommand({ run: openAccount, stale, done: '开户申请已提交' })
export const useSetStatus = (done: string) => useCommand({ run: setStatus, stale, done })
export const useBindCard = () => useCommand({ run: bindCard, stale, done: '验证码已发送' })
export const useSendCardCode = () => useCommand({ run: sendCardCode, stale: [], done: '验证码已重新发送' })
export const useCheckCard = () => useCommand({ run: checkCard, stale, done: '银行卡已绑定' })
export const useApplyUnbinding = () => useCommand({ run: applyUnbinding, stale, done: '解绑申请已提交' })
export const useDecideUnbinding = () => useCommand({ run: decideUnbinding, stale, done: '解绑申请已处理' })
