import { CreditCardOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { Permit } from '@/kit/Permit'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { type BankCard, CARD_BOUND, CARD_UNBINDING, cardTag, type PaymentAccountDetail } from './paymentAccount'
import { useIsPlatform } from './PaymentAccountActs'
import { ReasonDialog } from './ReasonDialog'
import { useApplyUnbinding, useDecideUnbinding } from './usePaymentAccountCommands'

/** Who keeps accounts: the code of 账户管理. */
const KEEPER = 'financial_06'

const lastFour = (card: BankCard) => card.cardNoMasked.slice(-4)
const nameOf = (card: BankCard) => `${card.bankName} 尾号 ${lastFour(card)}`

/** The cards of an account, the newest first as they come, with what may be done about each. */
export function Cards({ account, acts }: { account: PaymentAccountDetail; acts?: (card: BankCard) => ReactNode }) {
  return (
    <ul className="pay-cards">
      {account.cards.map((card) => (
        <li key={card.id} className="pay-card">
          <CreditCardOutlined aria-hidden className="pay-card-sign" />
          <div className="pay-card-words">
            <div className="pay-card-head">
              <strong>{card.bankName}</strong>
              <span className="figure">{card.cardNoMasked}</span>
              <Dot {...cardTag(card.state)} />
            </div>
            <div className="pay-card-more weak">
              <span>持卡人 {card.holder}</span>
              <span className="figure">预留手机 {card.mobileMasked}</span>
              {card.boundAt !== null && (
                <span>
                  绑定于 <Time at={card.boundAt} />
                </span>
              )}
            </div>
            {card.reason && <div className="pay-card-more">原因：{card.reason}</div>}
          </div>
          <div className="pay-card-acts">
            {acts?.(card)}
            <Permit need={KEEPER}>
              <CardActs account={account} card={card} />
            </Permit>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** To ask that a card be unbound, and for the platform to decide about it. */
function CardActs({ account, card }: { account: PaymentAccountDetail; card: BankCard }) {
  const [asked, setAsked] = useState<'apply' | 'refuse' | null>(null)
  const platform = useIsPlatform()
  const ask = useDangerousConfirm()
  const apply = useApplyUnbinding()
  const decide = useDecideUnbinding()
  const close = () => setAsked(null)
  const agree = () =>
    ask({
      act: '同意解绑',
      name: nameOf(card),
      consequence: '同意后这张卡立即解绑，账户在绑定新卡之前没有收款的银行卡。',
      onConfirm: () => decide.mutateAsync({ accountId: account.id, cardId: card.id, agree: true }),
    })
  return (
    <>
      {card.state === CARD_BOUND && (
        <Button size="small" danger onClick={() => setAsked('apply')}>
          申请解绑
        </Button>
      )}
      {card.state === CARD_UNBINDING && platform && (
        <>
          <Button size="small" danger onClick={agree}>
            同意解绑
          </Button>
          <Button size="small" onClick={() => setAsked('refuse')}>
            驳回
          </Button>
        </>
      )}
      {asked === 'apply' && (
        <ReasonDialog
          act="申请解绑"
          name={nameOf(card)}
          consequence="平台同意之前这张卡仍然有效；同意后需要绑定新卡。"
          danger
          saving={apply.isPending}
          onConfirm={(reason) => apply.mutateAsync({ accountId: account.id, cardNo: lastFour(card), reason })}
          onClose={close}
        />
      )}
      {asked === 'refuse' && (
        <ReasonDialog
          act="驳回解绑"
          name={nameOf(card)}
          consequence="驳回后这张卡保持绑定。"
          saving={decide.isPending}
          onConfirm={(reason) => decide.mutateAsync({ accountId: account.id, cardId: card.id, agree: false, reason })}
          onClose={close}
        />
      )}
    </>
  )
}
