import { Tabs } from 'antd'
import { useSearchParams } from 'react-router-dom'
import ComingPage from '@/app/pages/ComingPage'
import { OwnPaymentAccount } from './OwnPaymentAccount'
import './paymentAccount.css'

const TAB = 'tab'
const BILLS = 'bills'
const ACCOUNT = 'account'

/** 分账账单: one's own payment account, which the money is divided into. The bills themselves are still to come. */
export default function SplitBillPage() {
  const [params, setParams] = useSearchParams()
  return (
    <section aria-labelledby="pay-page-title">
      <header className="pay-head">
        <h1 id="pay-page-title">分账账单</h1>
        <p className="weak">骑行收入按分账规则进入支付账户：先开户，再绑定银行卡。</p>
      </header>
      <Tabs
        className="pay-tabs"
        activeKey={params.get(TAB) === BILLS ? BILLS : ACCOUNT}
        onChange={(tab) => setParams(tab === BILLS ? { [TAB]: BILLS } : {}, { replace: true })}
        items={[
          {
            key: ACCOUNT,
            label: '支付账户',
            children: (
              <div className="panel pay-panel">
                <OwnPaymentAccount />
              </div>
            ),
          },
          { key: BILLS, label: '分账明细', children: <ComingPage /> },
        ]}
      />
    </section>
  )
}
