import { useQuery } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { command } from '@/api/client'
import { factsOf } from '@/kit/list/cells'
import type { ListDescription } from '@/kit/list/description'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'
import { PublishVersion } from '@/kit/versions/PublishVersion'
import { benefitText, type Card, CARD_PATH, cardInfo, type Kind, kindName, MEMBERSHIP, stale, timesText } from './card'
import { CardForm } from './CardForm'
import { CardSimulation } from './CardSimulation'
import { CardVersions } from './CardVersions'
import '@/kit/notice.css'

interface CardDrawerProps {
  id: string
  kinds: readonly Kind[]
  list: ListDescription<Card>
  onClose(): void
}

/** Shows a card, changes and publishes it. */
export function CardDrawer({ id, kinds, list, onClose }: CardDrawerProps) {
  const [publishing, setPublishing] = useState<Card | null>(null)
  const discard = useAskedCommand({ run: command.post(`${CARD_PATH}/discard`), stale, done: '草稿已丢弃' })
  const drop = ({ id: card, version, name, number }: Card) =>
    discard({ id: card, version }, { act: '丢弃草稿', name, consequence: number === 0 ? '这张卡从未发布，会一并删除。' : '恢复为最近发布的版本。' })
  return (
    <>
      <RecordDrawer
        id={id}
        query={useQuery(cardInfo(id))}
        category="card-product"
        words={{ untitled: '卡', failure: '卡加载失败', subject: '这张卡', main: '编辑' }}
        title={({ name }) => name ?? ''}
        actions={(card) =>
          card.hasDraft && (
            <>
              <Button size="small" onClick={() => drop(card)}>
                丢弃草稿
              </Button>
              <Button size="small" type="primary" ghost onClick={() => setPublishing(card)}>
                发布草稿
              </Button>
            </>
          )
        }
        above={(card) =>
          card.hasDraft && (
            <Alert
              className="notice"
              type="warning"
              showIcon
              title={card.number === 0 ? '还是草稿，没有售卖；发布后用户才能购买' : `有未发布的草稿；第 ${card.countsNumber ?? card.number} 版仍在售卖`}
            />
          )
        }
        facts={(card) => [
          ...factsOf(list, card, 'state', 'priceCents', 'days', 'sold', 'soldCents', 'left', 'refunded', 'refundedCents', 'countsNumber', 'updatedAt', 'agentName'),
          { name: '卡类型', value: kindName(card.kind) },
          { name: '优惠', value: benefitText(card) },
          { name: '可用次数', value: timesText(card) },
        ]}
        tabs={(card) => [{ key: 'versions', label: '版本', children: <CardVersions card={card} /> }]}
        onClose={onClose}
      >
        {(card) => <CardForm kinds={kinds} card={card} onSaved={() => undefined} />}
      </RecordDrawer>
      {publishing && <PublishCard card={publishing} onClose={() => setPublishing(null)} />}
    </>
  )
}

/** Asks from when a draft is to be sold. */
export function PublishCard({ card, onClose }: { card: Card; onClose(): void }) {
  const { id, version, name, number, kind } = card
  const publish = useCommand({ run: command.post(`${CARD_PATH}/publish`), stale, done: '已发布' })
  return (
    <PublishVersion
      title={`发布「${name}」`}
      ending="到时不再按这一版售卖；留空则一直有效"
      simulation={kind !== MEMBERSHIP && <CardSimulation card={card} />}
      publishing={publish.isPending}
      onPublish={({ from, until }) => void publish.mutateAsync({ id, version, from, until }).then(onClose, () => undefined)}
      onClose={onClose}
    >
      发布后成为第 {number + 1} 版，从生效时间起按新的价格和内容售卖；已购买的卡不变。
    </PublishVersion>
  )
}
