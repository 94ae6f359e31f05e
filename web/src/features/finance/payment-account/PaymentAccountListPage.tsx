import { ListPage } from '@/kit/list/ListPage'
import { paymentAccountList } from './description'
import type { PaymentAccount } from './paymentAccount'
import { PaymentAccountDrawer } from './PaymentAccountDrawer'
import { useOwnPaymentAccount } from './useOwnPaymentAccount'
import './paymentAccount.css'

/** 账户管理: the payment accounts of all agents in scope. */
export default function PaymentAccountListPage() {
  useOwnPaymentAccount()
  return <ListPage<PaymentAccount> description={paymentAccountList} drawer={(id, close) => <PaymentAccountDrawer key={id} id={id} onClose={close} />} />
}
