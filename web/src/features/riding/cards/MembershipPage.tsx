import { MEMBERSHIP } from './card'
import { CardList } from './CardList'
import type { CardPage } from './description'

const page: CardPage = {
  id: 'membership',
  title: '会员配置',
  purpose: '会员在有效期内免押金骑行；续费从到期时间顺延，已购买的会员不受改价影响。',
  code: '1705',
  kinds: [MEMBERSHIP],
  noun: '会员',
  emptyText: '还没有会员卡，新增第一张并发布',
}

export default function MembershipPage() {
  return <CardList page={page} />
}
