import { type CallOptions, command } from '@/api/client'
import { useCommand } from '@/kit/useCommand'
import { type CardValues, CUSTOMER } from './paymentAccount'

/** Everything that is known of accounts. */
const stale = [[CUSTOMER]] as const

const bind = command.post(`${CUSTOMER}/bindCard`)
/** Answers the id of the card that waits for its code; the document leaves that answer open. */
const bindCard = async (card: CardValues & { accountId: string }, options: CallOptions) => (await bind(card, options)) as { bindId: string }

export const useOpenAccount = () => useCommand({ run: command.post(`${CUSTOMER}/openAccount`), stale, done: '开户申请已提交' })
export const useSetStatus = (done: string) => useCommand({ run: command.put(`${CUSTOMER}/state`), stale, done })
export const useBindCard = () => useCommand({ run: bindCard, stale, done: '验证码已发送' })
export const useSendCardCode = () => useCommand({ run: command.post('/Pay/message/sendCode'), stale: [], done: '验证码已重新发送' })
export const useCheckCard = () => useCommand({ run: command.post(`${CUSTOMER}/bindCardCheck`), stale, done: '银行卡已绑定' })
export const useApplyUnbinding = () => useCommand({ run: command.post(`${CUSTOMER}/applyUnbindCard`), stale, done: '解绑申请已提交' })
export const useDecideUnbinding = () => useCommand({ run: command.put(`${CUSTOMER}/card/state`), stale, done: '解绑申请已处理' })
