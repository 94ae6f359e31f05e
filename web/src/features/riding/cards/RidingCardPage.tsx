import { DISCOUNT, DISTANCE, MONEY, TIME, TIMES } from './card'
import { CardList } from './CardList'
import type { CardPage } from './description'

const page: CardPage = {
  id: 'riding-card',
  title: '商城配置',
  purpose: '商城售卖的骑行卡和优惠卡；还车时自动用对用户最省的一张，已购买的卡不受改价影响。',
  code: '1703',
  kinds: [TIME, DISTANCE, MONEY, TIMES, DISCOUNT],
  noun: '卡',
  emptyText: '还没有骑行卡，新增第一张并发布',
}

export default function RidingCardPage() {
  return <CardList page={page} />
}
