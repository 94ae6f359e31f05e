import { registerChannelLabels } from '@/api/generated/labels'
import { command } from '@/api/client'
import type { CallOptions } from '@/api/client'
import type { BodyOf } from '@/api/shapes'
import { labelOf } from '@/kit/choice'
import type { Fact } from '@/kit/Facts'
import { EMPTY, formatMoney } from '@/kit/format'
import { Money } from '@/kit/Money'
import { usePermit } from '@/kit/Permit'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { Unmasked } from '../Unmasked'
import { accountState, calledOf, depositState, qualificationsText, type RiderInfo, riderState } from './rider'

type What = BodyOf<'/user/unmask'>['what']

interface MaskedProps {
  rider: RiderInfo
  what: What
  /** `手机号`. */
  name: string
  masked: string
}

/** One thing of a rider, masked until somebody asks; who asked is kept. */
function Masked({ rider, what, name, masked }: MaskedProps) {
  const permitted = usePermit('070101')
  if (masked === '' || !permitted) return <span className="figure">{masked || EMPTY}</span>
  const reveal = (options: CallOptions) => command.post('/user/unmask')({ userId: rider.userId, what }, options).then(({ value }) => [value])
  return <Unmasked of={`${calledOf(rider)}」的「${name}`} button="查看" label={`查看${name}`} masked={[masked]} reveal={reveal} />
}

/** What is known of a rider. */
export function riderFacts(rider: RiderInfo): Fact[] {
  const { wallet, deposit, counts, userId } = rider
  const state = riderState(rider.userState)
  return [
    { name: '手机号', value: <Masked key={`${userId}-phone`} rider={rider} what="phone" name="手机号" masked={rider.phoneMasked} /> },
    { name: '姓名', value: <Masked key={`${userId}-name`} rider={rider} what="name" name="姓名" masked={rider.nameMasked} /> },
    { name: '身份证号', value: <Masked key={`${userId}-id`} rider={rider} what="idNo" name="身份证号" masked={rider.idNoMasked} /> },
    { name: '用户状态', value: state ? <Dot {...state} /> : EMPTY },
    { name: '账户状态', value: <Dot {...accountState(rider.accountState)} /> },
    { name: '骑行资格', value: qualificationsText(rider.qualifications) || EMPTY },
    { name: '钱包余额', value: <Yuan cents={wallet.balanceCents} more={`充值 ${yuan(wallet.rechargeCents)}，赠送 ${yuan(wallet.presentCents)}`} /> },
    { name: '冻结 / 待退款', value: <span className="figure">{`${yuan(wallet.heldCents)} / ${yuan(wallet.refundDueCents)} 元`}</span> },
    { name: '欠款', value: <Yuan cents={wallet.owedCents} more={counts.unpaidOrders > 0 ? `${counts.unpaidOrders} 个订单待支付` : ''} /> },
    {
      name: '押金',
      value: (
        <>
          <Dot {...depositState(deposit.state)} /> <Money cents={deposit.amountCents} /> 元
        </>
      ),
    },
    { name: '订单', value: <span className="figure">{`${rider.totalOrders ?? 0} 次，消费 ${yuan(rider.totalPaidCents ?? 0)} 元`}</span> },
    { name: '使用中的卡', value: <span className="figure">{`${counts.cards} 张`}</span> },
    { name: '服务区', value: rider.areaName ?? EMPTY },
    { name: '注册', value: <><Time at={rider.createdAt} />（{labelOf(registerChannelLabels, rider.channel)}）</> },
    { name: '最近骑行', value: <Time at={rider.lastOrderAt} /> },
    ...(rider.openOrder
      ? [
          {
            name: '进行中的订单',
            whole: true,
            value: (
              <a className="figure" href={`#/user-order-detail?orderId=${rider.openOrder.orderId}`}>
                {rider.openOrder.orderId}（车辆 {rider.openOrder.carId}）
              </a>
            ),
          },
        ]
      : []),
    ...(deposit.freezeReason === null
      ? []
      : [{ name: '押金冻结', whole: true, value: <>{deposit.freezeReason}，至 {deposit.freezeUntil === null ? '人工恢复' : <Time at={deposit.freezeUntil} />}</> }]),
  ]
}

const yuan = formatMoney

function Yuan({ cents, more }: { cents: number; more: string }) {
  return (
    <>
      <Money cents={cents} /> 元{more && <span className="weak">（{more}）</span>}
    </>
  )
}
