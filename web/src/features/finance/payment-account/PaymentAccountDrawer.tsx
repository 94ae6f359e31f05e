import { useQuery } from '@tanstack/react-query'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { Cards } from './Cards'
import { paymentAccountDetail } from './paymentAccount'
import { PaymentAccountActs } from './PaymentAccountActs'
import { PaymentAccountFacts } from './PaymentAccountFacts'

/** A payment account with its cards, and what the platform does with it. */
export function PaymentAccountDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(paymentAccountDetail(id))
  return (
    <FormDrawer title={query.data?.customerName ?? '支付账户'} wide loading={query.isLoading} onClose={onClose}>
      <LoadFailure query={query} text="支付账户加载失败" />
      {query.data && (
        <>
          <PaymentAccountFacts account={query.data} />
          <PaymentAccountActs account={query.data} />
          <h2 className="pay-title">银行卡</h2>
          {query.data.cards.length === 0 ? <p className="weak">还没有绑定银行卡，由该代理在分账账单中绑定。</p> : <Cards account={query.data} />}
        </>
      )}
    </FormDrawer>
  )
}
