import { cardKindLabels } from '@/api/generated/labels'
import { numberedOptionsOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import { benefitText, type Card, CARD_PATH, type Kind, kindName, stageOf, timesText } from './card'

/** Which cards a page keeps. */
export interface CardPage {
  id: string
  title: string
  purpose: string
  /** The permission code of the page. */
  code: string
  kinds: readonly Kind[]
  /** `会员`. */
  noun: string
  emptyText: string
}

/** The list of cards of a page. */
export function cardList({ id, title, purpose, kinds, emptyText }: CardPage): ListDescription<Card> {
  const options = numberedOptionsOf(cardKindLabels).filter(({ value }) => kinds.some((kind) => kind === value))
  const several = kinds.length > 1
  return {
    id,
    title,
    purpose,
    path: CARD_PATH,
    exported: true,
    fixed: { kind: kinds.join(',') },
    table: 'card_product',
    rowKey: (card) => card.id,
    emptyText,
    tabs: {
      name: 'state',
      label: '状态',
      options: [
        { value: '1', label: '启用' },
        { value: '0', label: '停用' },
      ],
    },
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '卡名称' },
      ...(several ? [{ kind: 'several' as const, name: 'kind' as const, label: '卡类型', options: options.map(({ value, label }) => ({ value: String(value), label })) }] : []),
    ],
    columns: [
      { key: 'name', title: '卡名称', width: 170, strong: true, text: (card) => card.name },
      { kind: 'choice', key: 'state', title: '状态', width: 92, value: stageOf },
      ...(several ? [{ key: 'kind', title: '卡类型', width: 90, text: (card: Card) => kindName(card.kind) }] : []),
      { kind: 'money', key: 'priceCents', title: '售价（元）', value: (card) => card.priceCents },
      { kind: 'money', key: 'originPriceCents', title: '原价（元）', optional: true, value: (card) => card.originPriceCents },
      { kind: 'count', key: 'days', title: '有效天数', value: (card) => card.days },
      ...(several
        ? [
            { key: 'benefit', title: '优惠', width: 140, unexported: true, text: (card: Card) => benefitText(card) },
            { key: 'times', title: '可用次数', width: 100, text: (card: Card) => timesText(card) },
          ]
        : []),
      { kind: 'count', key: 'sold', title: '已售', value: (card) => card.sold },
      { kind: 'money', key: 'soldCents', title: '销售额（元）', value: (card) => card.soldCents },
      { key: 'left', title: '剩余库存', width: 100, align: 'right', text: (card) => (card.left === null || card.left === undefined ? '不限' : String(card.left)) },
      { kind: 'count', key: 'refunded', title: '已退', optional: true, value: (card) => card.refunded },
      { kind: 'money', key: 'refundedCents', title: '退款额（元）', optional: true, value: (card) => card.refundedCents },
      { kind: 'count', key: 'countsNumber', title: '生效版本', optional: true, value: (card) => card.countsNumber },
      { key: 'agentName', title: '代理', width: 160, text: (card) => card.agentName },
      { kind: 'time', key: 'updatedAt', title: '更新时间', value: (card) => card.updatedAt },
      { key: 'id', title: '编号', width: 170, optional: true, text: (card) => card.id },
    ],
  }
}
