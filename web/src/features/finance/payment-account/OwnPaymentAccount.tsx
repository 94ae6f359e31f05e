import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Skeleton, Steps } from 'antd'
import { useEffect, useState } from 'react'
import { Facts } from '@/kit/Facts'
import { useFollow } from '@/kit/list/useFollow'
import { LoadFailure } from '@/kit/LoadFailure'
import { BindCardDrawer } from './BindCardDrawer'
import { Cards } from './Cards'
import { forgetUnlessInUse } from './inUse'
import { OpeningForm } from './OpeningForm'
import {
  ACCOUNT_TABLE,
  type BankCard,
  CARD_PENDING,
  CLOSED,
  CUSTOMER,
  FAILED,
  FROZEN,
  IN_REVIEW,
  liveCard,
  NORMAL,
  NOT_OPENED,
  ownAgentId,
  type PaymentAccount,
  type PaymentAccountDetail,
  paymentAccountDetail,
} from './paymentAccount'
import { PaymentAccountActs, useIsPlatform } from './PaymentAccountActs'
import { factsOf } from './PaymentAccountFacts'
import { standingOf } from './steps'
import { useOwnPaymentAccount } from './useOwnPaymentAccount'

/** The payment account of one's own agent: how far it is, what is to be done next, and its bank card. */
export function OwnPaymentAccount() {
  useFollow(ACCOUNT_TABLE, [CUSTOMER])
  const own = useOwnPaymentAccount()
  if (own.isLoading) return <Skeleton active paragraph={{ rows: 6 }} />
  if (own.data === undefined) return <LoadFailure query={own} text="支付账户加载失败" />
  const id = own.data?.id
  return id === undefined || id === null ? (
    <>
      <Progress status={NOT_OPENED} />
      <p className="weak">开通支付账户后才能收到分账的钱。平台把资料提交给支付渠道审核，结果登记后这里会自动更新。</p>
      <OpeningForm agentId={ownAgentId()} />
    </>
  ) : (
    <OpenedAccount id={id} />
  )
}

function Progress({ status }: Pick<PaymentAccount, 'status'>) {
  const { current, look, titles } = standingOf(status)
  return <Steps className="pay-steps" size="small" current={current} status={look} items={titles.map((title) => ({ title }))} />
}

function OpenedAccount({ id }: { id: string }) {
  const query = useQuery(paymentAccountDetail(id))
  const cards = query.data?.cards
  useEffect(() => {
    if (cards) forgetUnlessInUse(cards)
  }, [cards])
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 6 }} />
  if (!query.data) return <LoadFailure query={query} text="支付账户加载失败" />
  const account = query.data
  return (
    <>
      <Progress status={account.status} />
      <Notice account={account} />
      <Facts facts={factsOf(account, true)} />
      <PaymentAccountActs account={account} />
      {account.status === FAILED && <OpeningForm key={account.version} agentId={account.agentId} failed={account} />}
      {account.status === NORMAL || account.cards.length > 0 ? <CardPanel account={account} /> : null}
    </>
  )
}

/** What a status means for the person who looks at it. */
function Notice({ account: { status, failReason } }: { account: PaymentAccountDetail }) {
  const platform = useIsPlatform()
  const why = failReason ?? '未说明原因'
  if (status === IN_REVIEW) {
    return <Alert className="notice" type="info" showIcon title="开户申请审核中" description="平台登记支付渠道的结果后，这里和菜单会自动更新，不需要重新登录。" />
  }
  if (status === FAILED) {
    return <Alert className="notice" type="error" showIcon title={`开户未通过：${why}`} description="请按原因修改下面的资料，重新提交。" />
  }
  if (status === FROZEN) {
    return <Alert className="notice" type="warning" showIcon title={`账户已冻结：${why}`} description={platform ? '冻结期间不能绑卡和修改支付密码。' : '冻结期间不能绑卡和修改支付密码，请联系平台管理员。'} />
  }
  if (status === CLOSED) {
    return <Alert className="notice" type="warning" showIcon title={`账户已销户：${why}`} description="销户后不能恢复，也不能再次开户。" />
  }
  return null
}

/** The bank card: none yet, waiting for its code, or in use; and those before it. */
function CardPanel({ account }: { account: PaymentAccountDetail }) {
  const [binding, setBinding] = useState<{ pending: BankCard | null } | null>(null)
  const open = account.status === NORMAL
  const live = liveCard(account.cards)
  const waiting = (card: BankCard) =>
    open && card.state === CARD_PENDING ? (
      <Button size="small" type="primary" onClick={() => setBinding({ pending: card })}>
        输入验证码
      </Button>
    ) : null
  return (
    <section aria-labelledby="pay-cards-title">
      <h2 id="pay-cards-title" className="pay-title">
        银行卡
      </h2>
      <Cards account={account} acts={waiting} />
      {live === null && open && (
        <div className="pay-nocard">
          <span className="weak">还没有绑定银行卡；提现只会到绑定的这张卡。</span>
          <Button type="primary" onClick={() => setBinding({ pending: null })}>
            绑定银行卡
          </Button>
        </div>
      )}
      {binding && <BindCardDrawer account={account} pending={binding.pending} onClose={() => setBinding(null)} />}
    </section>
  )
}
