import { useQuery } from '@tanstack/react-query'
import { Form, Input, InputNumber, Radio, Switch } from 'antd'
import { command } from '@/api/client'
import { agentChoices, areasOf } from '@/kit/areaChoices'
import { bare } from '@/kit/format'
import { AgentItem, ChoiceItem } from '@/kit/record/ChoiceItem'
import { DaysItem, Pair } from '@/kit/record/items'
import { RecordForm } from '@/kit/record/RecordForm'
import { rule } from '@/kit/record/rule'
import { NameItem, TextItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { billingFieldOf } from '../charging-config/billing'
import {
  type Card,
  CARD_PATH,
  type CardFields,
  DAYS_MAX,
  DESC_MAX,
  DISCOUNT,
  DISTANCE,
  fieldsOf,
  isRiding,
  type Kind,
  kindName,
  MONEY,
  NAME_MAX,
  priceOf,
  saidOf,
  stale,
  TIME,
  TIMES_MAX,
} from './card'
import { CardBillingItems } from './CardBillingItems'

const fieldOf = {
  'card-name-taken': 'name',
  'card-name': 'name',
  'card-price': 'price',
  'card-origin-price': 'originPrice',
  'card-free-money': 'freeMoney',
  'card-areas-unknown': 'areaIds',
  'card-window': 'sale',
  ...billingFieldOf,
}
const whole = { width: '100%' }
const AREAS_MAX = 200
const STOCK_MAX = 1_000_000
const LIMIT_MAX = 1000
const limits = [
  { value: 'unlimited', label: '不限次数' },
  { value: 'daily', label: '每天' },
  { value: 'total', label: '总共' },
]
const priced = rule((text) => text !== '' && priceOf(text) === null && '请输入 0.01 到 5000 元，最多两位小数')

interface CardFormProps {
  /** Kinds of a new card. */
  kinds: readonly Kind[]
  /** The card to change; none to add one. */
  card?: Card
  onSaved(): void
}

/** Adds or changes a card. What is saved is a draft: it is sold when it is published. */
export function CardForm({ kinds, card, onSaved }: CardFormProps) {
  const create = useCommand({ run: command.post(CARD_PATH), stale, done: '已存为草稿，发布后才会售卖', fieldOf })
  const change = useCommand({ run: command.put(CARD_PATH), stale, done: '已存为草稿，发布后才会售卖', fieldOf })
  const [form] = Form.useForm<CardFields>()
  const original = fieldsOf(card, kinds[0] ?? TIME)
  const kind = Form.useWatch('kind', form) ?? original.kind
  const limit = Form.useWatch('limit', form) ?? original.limit
  const agent = Form.useWatch('agentId', form) ?? original.agentId
  const agents = useQuery({ ...agentChoices, enabled: card === undefined })
  const save = (fields: CardFields) =>
    card
      ? change.mutateAsync({ ...saidOf(fields), id: card.id, version: card.version, draft: true })
      : create.mutateAsync({ ...saidOf(fields), ...(fields.agentId ? { agentId: fields.agentId } : {}), draft: true })

  return (
    <RecordForm<CardFields>
      draft={[`card_${kinds.join('')}`, card?.id, card?.version]}
      form={form}
      original={original}
      // Areas belong to one agent.
      follow={(changed) => ('agentId' in changed ? { areaIds: [] } : {})}
      fieldOf={fieldOf}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      {!card && (agents.data?.length ?? 0) > 0 && <AgentItem label="所属代理" placeholder="由哪家代理售卖" none="没有可选择的代理" />}
      {!card && kinds.length > 1 && (
        <Form.Item name="kind" label="卡类型" required extra="保存后不能修改">
          <Radio.Group options={kinds.map((value) => ({ value, label: kindName(value) }))} />
        </Form.Item>
      )}
      <NameItem name="name" label="卡名称" max={NAME_MAX} showCount placeholder="例如：骑行 30 天卡" />
      <Pair>
        <TextItem name="price" label="售价" rules={[{ required: true, message: '请输入售价' }, priced]} suffix="元" inputMode="decimal" maxLength={7} />
        <TextItem
          name="originPrice"
          label="原价"
          rules={[priced, rule((text) => text !== '' && (priceOf(text) ?? 0) < (priceOf(form.getFieldValue('price') as string) ?? 0) && '不能低于售价')]}
          placeholder="不填同售价"
          suffix="元"
          inputMode="decimal"
          maxLength={7}
        />
      </Pair>
      <Pair>
        <NumberField name="days" label="有效天数" suffix="天" min={1} max={DAYS_MAX} required />
        {kind === TIME && <NumberField name="freeTimeMin" label="每次免费时长" suffix="分钟" min={1} max={1440} required />}
        {kind === DISTANCE && <NumberField name="freeDistance" label="每次免费里程" suffix="公里" min={0.001} max={100} precision={3} required />}
        {kind === MONEY && (
          <TextItem name="freeMoney" label="每次减免" rules={[{ required: true, message: '请输入每次减免' }, priced]} suffix="元" inputMode="decimal" maxLength={7} />
        )}
      </Pair>
      {isRiding(kind) && (
        <Pair>
          <Form.Item name="limit" label="可用次数" required>
            <Radio.Group options={limits} optionType="button" />
          </Form.Item>
          {limit !== 'unlimited' && <NumberField name="times" label={limit === 'total' ? '总次数' : '每天次数'} suffix="次" min={1} max={TIMES_MAX} required />}
        </Pair>
      )}
      {kind === DISCOUNT && <CardBillingItems />}
      <AreasItem agent={agent} />
      <Pair>
        <NumberField name="stock" label="库存" suffix="张" min={1} max={STOCK_MAX} placeholder="不填为不限" extra="累计最多售出这么多；未使用就退回的可以再售" />
        <NumberField name="limitPerRider" label="每人限购" suffix="张" min={1} max={LIMIT_MAX} placeholder="不填为不限" />
      </Pair>
      <Pair>
        <DaysItem name="sale" label="售卖日期" />
        <NumberField name="sort" label="排序" min={0} max={9999} extra="小的排在前面" required />
      </Pair>
      <Form.Item name="isRecommended" label="推荐" required valuePropName="checked" extra="推荐的卡在用户端排在最前面">
        <Switch />
      </Form.Item>
      <Form.Item name="desc" label="说明" extra="用户购买前看到">
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={DESC_MAX} showCount />
      </Form.Item>
    </RecordForm>
  )
}

interface NumberFieldProps {
  name: string
  label: string
  min: number
  max: number
  precision?: number
  suffix?: string
  extra?: string
  placeholder?: string
  required?: boolean
}

/** A number within its bounds; it may stay empty unless it is required. */
function NumberField({ name, label, extra, required = false, precision = 0, ...input }: NumberFieldProps) {
  return (
    <Form.Item name={name} label={label} extra={extra} rules={[{ required, message: `请输入${label}` }]}>
      <InputNumber style={whole} precision={precision} formatter={bare} {...input} />
    </Form.Item>
  )
}

function AreasItem({ agent }: { agent: string | undefined }) {
  const areas = useQuery(areasOf(agent ? [agent] : []))
  return (
    <ChoiceItem
      name="areaIds"
      label="适用服务区"
      mode="multiple"
      extra="不选为该代理的全部服务区"
      rules={[{ type: 'array', max: AREAS_MAX, message: `最多 ${AREAS_MAX} 个` }]}
      placeholder="全部服务区"
      query={areas}
      none="这家代理还没有服务区"
      options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
