import { Button, Tooltip } from 'antd'
import { useState } from 'react'
import { useSession } from '@/app/session/store'
import { type BankCard, CARD_PENDING, CARD_UNBINDING, CLOSED, FROZEN, IN_REVIEW, NORMAL, ownAgentId, type PaymentAccountDetail } from './paymentAccount'
import { ReasonDialog } from './ReasonDialog'
import { ResultDialog } from './ResultDialog'
import { useSetStatus } from './usePaymentAccountCommands'

/** Who sees all agents and all areas: the platform's own people. */
export function useIsPlatform(): boolean {
  return useSession((state) => state.user?.isRoot === true)
}

/** Why an account cannot be closed now; null when it can. */
export function closeFault(cards: readonly BankCard[]): string | null {
  if (cards.some(({ state }) => state === CARD_PENDING)) return '有一张银行卡正在验证，请等它绑定或失效'
  if (cards.some(({ state }) => state === CARD_UNBINDING)) return '有一张银行卡正在解绑，请先处理解绑申请'
  return null
}

type Act = 'result' | 'freeze' | 'unfreeze' | 'close'

const reasoned = {
  freeze: {
    act: '冻结账户',
    status: FROZEN,
    danger: true,
    consequence: '冻结后不能绑卡，也不能修改支付密码；该代理的产品服务只剩分账账单。可以随时解冻。',
  },
  unfreeze: { act: '解冻账户', status: NORMAL, danger: false, consequence: '解冻后账户恢复正常，产品服务按账户级别重新开放。' },
  close: {
    act: '销户',
    status: CLOSED,
    danger: true,
    consequence: '销户后无法恢复，该代理也不能再开户；产品服务只剩分账账单，操作日志中仍可查到账户的历史。',
  },
} as const

/** What else follows for who does it to the account of his own agent. */
const OWN = '这是您自己的账户：账户管理也会随之关闭，之后请到分账账单查看。'

/** What the platform does with an account; nothing for anybody else. */
export function PaymentAccountActs({ account }: { account: PaymentAccountDetail }) {
  const [asked, setAsked] = useState<Act | null>(null)
  const register = useSetStatus('开户结果已登记')
  const change = useSetStatus('账户状态已更新')
  const { status } = account
  const open = status === NORMAL || status === FROZEN
  if (!useIsPlatform() || (!open && status !== IN_REVIEW)) return null
  const fault = closeFault(account.cards)
  const close = () => setAsked(null)
  const step = asked === null || asked === 'result' ? null : reasoned[asked]
  const closesOwn = status === NORMAL && account.agentId === ownAgentId()
  return (
    <div className="pay-acts" role="group" aria-label="平台操作">
      <span className="weak">平台操作</span>
      {status === IN_REVIEW && (
        <Button type="primary" onClick={() => setAsked('result')}>
          登记开户结果
        </Button>
      )}
      {status === NORMAL && <Button onClick={() => setAsked('freeze')}>冻结</Button>}
      {status === FROZEN && (
        <Button type="primary" onClick={() => setAsked('unfreeze')}>
          解冻
        </Button>
      )}
      {open && (
        <Tooltip title={fault}>
          <Button danger disabled={fault !== null} onClick={() => setAsked('close')}>
            销户
          </Button>
        </Tooltip>
      )}
      {asked === 'result' && (
        <ResultDialog account={account} saving={register.isPending} onConfirm={register.mutateAsync} onClose={close} />
      )}
      {step && (
        <ReasonDialog
          act={step.act}
          name={account.customerName}
          consequence={closesOwn ? `${step.consequence}${OWN}` : step.consequence}
          danger={step.danger}
          saving={change.isPending}
          onConfirm={(reason) => change.mutateAsync({ accountId: account.id, version: account.version, status: step.status, reason })}
          onClose={close}
        />
      )}
    </div>
  )
}
