import { useMemo, useState } from 'react'
import { command } from '@/api/client'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Card, CARD_PATH, stale } from './card'
import { CardDrawer, PublishCard } from './CardDrawer'
import { CardForm } from './CardForm'
import { cardList, type CardPage } from './description'

/** The cards of a page: added, changed, published, put on sale and taken off. */
export function CardList({ page }: { page: CardPage }) {
  const { noun, kinds } = page
  const list = useMemo(() => cardList(page), [page])
  const [publishing, setPublishing] = useState<Card | null>(null)
  const turn = useAskedCommand({ run: command.post(`${CARD_PATH}/state`), stale, done: `${noun}状态已更新` })
  const remove = useAskedCommand({ run: command.delete(CARD_PATH), stale, done: `${noun}已删除` })
  const acts = (card: Card): RowAction[] => {
    const { id, name, state, number, sold, version } = card
    const enable = state === 0
    const consequence = enable ? '用户端立即可以购买。' : '用户端立即不能购买；已购买的不受影响。'
    return [
      {
        key: 'publish',
        label: '发布',
        ...(card.hasDraft ? {} : { unavailable: '没有草稿' }),
        onRun: () => setPublishing(card),
      },
      {
        key: 'state',
        label: enable ? '启用' : '停用',
        ...(number === 0 ? { unavailable: '还没有发布' } : {}),
        onRun: () => turn({ id, state: enable ? 1 : 0 }, { act: `${enable ? '启用' : '停用'}${noun}`, name, consequence }),
      },
      {
        key: 'delete',
        label: '删除',
        danger: true,
        onRun: () =>
          remove({ id, version }, { act: `删除${noun}`, name, consequence: `${sold > 0 ? `已售出 ${sold} 张，购买者继续使用。` : ''}删除后不能恢复，也不能再售卖。` }),
      },
    ]
  }
  return (
    <>
      <ListPage<Card>
        description={list}
        add={{ text: `新增${noun}`, form: (close) => <CardForm kinds={kinds} onSaved={close} /> }}
        editable
        rowActions={acts}
        drawer={(id, close) => <CardDrawer id={id} kinds={kinds} list={list} onClose={close} />}
      />
      {publishing && <PublishCard card={publishing} onClose={() => setPublishing(null)} />}
    </>
  )
}
