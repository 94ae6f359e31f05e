import { useQuery } from '@tanstack/react-query'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { Cards } from './Cards'
import { paymentAccountDetail } from './paymentAccount'
import { PaymentAccountActs } from './PaymentAccountActs'
import { factsOf } from './PaymentAccountFacts'

/** A payment account with its cards, and what the platform does with it. */
export function PaymentAccountDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(paymentAccountDetail(id))}
      category="payment-account"
      words={{ untitled: '支付账户', failure: '支付账户加载失败', subject: '支付账户', main: '账户与银行卡' }}
      title={({ customerName }) => customerName}
      facts={(account) => factsOf(account)}
      onClose={onClose}
    >
      {(account) => (
        <>
          <PaymentAccountActs account={account} />
          <h2 className="pay-title">银行卡</h2>
          {account.cards.length === 0 ? <p className="weak">还没有绑定银行卡，由该代理在分账账单中绑定。</p> : <Cards account={account} />}
        </>
      )}
    </RecordDrawer>
  )
}
