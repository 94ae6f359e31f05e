import { useQueryClient } from '@tanstack/react-query'
import { Button, DatePicker, Form, Input, Modal } from 'antd'
import type { Dayjs } from 'dayjs'
import { useState } from 'react'
import { uuid } from '@/api/bytes'
import { api, command } from '@/api/client'
import type { BodyOf } from '@/api/shapes'
import { serverNow } from '@/api/clock'
import { formatMoney } from '@/kit/format'
import { Permit } from '@/kit/Permit'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'
import { NewRecordDrawer } from '@/kit/record/RecordDrawer'
import { BlacklistForm } from '../blacklist/BlacklistForm'
import { BLACKLISTED, calledOf, DEPOSIT_FROZEN, DEPOSIT_PAID, FROZEN, NORMAL, REASON_MAX, RIDER_PATH, type RiderInfo, stale, walletCentsOf } from './rider'

const reasonOf = (label: string) => ({ label, placeholder: `${label}（必填）`, max: REASON_MAX })
type Doing = 'topUp' | 'deposit' | 'blacklist' | null

/** What can be done with a rider. */
export function RiderActions({ rider }: { rider: RiderInfo }) {
  const { userId, version, accountState, deposit } = rider
  const [doing, setDoing] = useState<Doing>(null)
  const name = calledOf(rider)
  const client = useQueryClient()
  const close = () => setDoing(null)
  const listed = () => {
    close()
    void client.invalidateQueries({ queryKey: [RIDER_PATH] })
  }
  const switchAccount = useAskedCommand({
    run: (body: { state: 0 | 1; reason: string }, options) => api.post('/user/{userId}/state', { ...body, version }, { ...options, path: { userId } }),
    stale,
    done: '账户状态已更新',
  })
  const recover = useAskedCommand({ run: command.post('/user/deposit/recover'), stale, done: '押金已恢复' })
  const open = accountState === NORMAL || accountState === FROZEN || accountState === BLACKLISTED
  if (!open) return null
  return (
    <div className="rider-actions">
      <Permit need="070101">
        <Button size="small" onClick={() => setDoing('topUp')}>
          人工充值
        </Button>
        {accountState === NORMAL && (
          <Button
            size="small"
            danger
            onClick={() =>
              switchAccount((reason) => ({ state: FROZEN, reason }), {
                act: '冻结账户',
                name,
                consequence: '冻结后不能开锁用车；进行中的骑行不会中断，可以正常还车。',
                reason: reasonOf('冻结原因'),
              })
            }
          >
            冻结账户
          </Button>
        )}
        {accountState === FROZEN && (
          <Button
            size="small"
            onClick={() =>
              switchAccount((reason) => ({ state: NORMAL, reason }), {
                act: '解冻账户',
                name,
                consequence: '解冻后可以立即用车。',
                reason: reasonOf('解冻原因'),
              })
            }
          >
            解冻账户
          </Button>
        )}
        {deposit.state === DEPOSIT_PAID && (
          <Button size="small" danger onClick={() => setDoing('deposit')}>
            冻结押金
          </Button>
        )}
        {deposit.state === DEPOSIT_FROZEN && (
          <Button
            size="small"
            onClick={() =>
              recover((reason) => ({ userId, reason, version }), {
                act: '恢复押金',
                name,
                consequence: `恢复后用户可以申请退还 ${formatMoney(deposit.amountCents)} 元押金。`,
                reason: reasonOf('恢复原因'),
              })
            }
          >
            恢复押金
          </Button>
        )}
      </Permit>
      {accountState !== BLACKLISTED && (
        <Permit need="08">
          <Button size="small" danger onClick={() => setDoing('blacklist')}>
            加入黑名单
          </Button>
        </Permit>
      )}
      {doing === 'topUp' && <TopUpDialog rider={rider} onClose={close} />}
      {doing === 'deposit' && <FreezeDepositDialog rider={rider} onClose={close} />}
      {doing === 'blacklist' && (
        <NewRecordDrawer title="加入黑名单" onClose={close}>
          <BlacklistForm rider={{ userId, called: name }} onSaved={listed} />
        </NewRecordDrawer>
      )}
    </div>
  )
}

interface DialogProps {
  rider: RiderInfo
  onClose(): void
}

interface TopUpFields {
  amount: string
  gift: string
  remark: string
}

const remarkRules = [{ required: true, whitespace: true, message: '请填写原因' }]

/** Puts money into a wallet by hand: first what, then whether really. */
function TopUpDialog({ rider, onClose }: DialogProps) {
  const [form] = Form.useForm<TopUpFields>()
  // Under one name money comes once, however often it is sent.
  const [requestId] = useState(uuid)
  const [asked, setAsked] = useState<TopUpFields | null>(null)
  const send = useCommand({
    run: (body: BodyOf<'/user/wallet/topUp'>, options) => api.post('/user/wallet/topUp', body, options),
    stale,
    done: ({ approvalId, balanceCents }) => (approvalId ? '已提交复核，由另一位同事同意后入账' : `已入账，余额 ${formatMoney(balanceCents)} 元`),
  })
  const amount = walletCentsOf(asked?.amount) ?? 0
  const gift = walletCentsOf(asked?.gift || '0') ?? 0
  const confirm = () => {
    if (!asked) return
    const body = { userId: rider.userId, amount, gift, remark: asked.remark.trim(), requestId, version: rider.version }
    void send.mutateAsync(body).then(onClose, () => undefined)
  }
  const money = (least: number, text: string) => ({
    validator: (_: unknown, yuan: string | undefined) => {
      const cents = walletCentsOf(yuan || '0')
      return cents !== null && cents >= least ? Promise.resolve() : Promise.reject(new Error(text))
    },
  })
  return (
    <Modal
      open
      title={`人工充值「${calledOf(rider)}」`}
      okText={asked ? '确认入账' : '下一步'}
      cancelText={asked ? '返回修改' : '取消'}
      okButtonProps={{ danger: asked !== null, loading: send.isPending }}
      onOk={asked ? confirm : () => form.submit()}
      cancelButtonProps={asked ? { onClick: () => setAsked(null) } : {}}
      onCancel={onClose}
      destroyOnHidden
    >
      {asked && (
        <dl className="rider-sum">
          <dt>充值余额</dt>
          <dd className="figure">{`${formatMoney(rider.wallet.rechargeCents)} → ${formatMoney(rider.wallet.rechargeCents + amount)} 元`}</dd>
          <dt>赠送余额</dt>
          <dd className="figure">{`${formatMoney(rider.wallet.presentCents)} → ${formatMoney(rider.wallet.presentCents + gift)} 元`}</dd>
          <dt>原因</dt>
          <dd>{asked.remark}</dd>
        </dl>
      )}
      {asked && <p className="weak">入账后不能撤销；超过代理的复核额度时，由另一位同事同意后入账。</p>}
      <Form<TopUpFields> form={form} layout="vertical" hidden={asked !== null} initialValues={{ amount: '', gift: '', remark: '' }} onFinish={setAsked}>
        <Form.Item name="amount" label="充值金额（元）" required rules={[money(1, '请输入 0.01 到 10000 元，最多两位小数')]} extra="用户实际支付的金额，以后可以退还">
          <Input inputMode="decimal" autoComplete="off" />
        </Form.Item>
        <Form.Item name="gift" label="赠送金额（元）" rules={[money(0, '请输入 0 到 10000 元，最多两位小数')]} extra="不退还；留空为不赠送">
          <Input inputMode="decimal" autoComplete="off" />
        </Form.Item>
        <Form.Item name="remark" label="原因" rules={remarkRules}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={REASON_MAX} showCount placeholder="例如：线下转账补录，流水号 0001" />
        </Form.Item>
      </Form>
    </Modal>
  )
}

interface FreezeFields {
  reason: string
  until: Dayjs | null
}

/** Keeps a deposit, for good or until a time. */
function FreezeDepositDialog({ rider, onClose }: DialogProps) {
  const [form] = Form.useForm<FreezeFields>()
  const send = useCommand({ run: command.post('/user/deposit/freeze'), stale, done: '押金已冻结' })
  const freeze = ({ reason, until }: FreezeFields) => {
    const body = { userId: rider.userId, reason: reason.trim(), until: until?.format('YYYY-MM-DD HH:mm:ss') ?? null, version: rider.version }
    void send.mutateAsync(body).then(onClose, () => undefined)
  }
  return (
    <Modal open title={`冻结押金「${calledOf(rider)}」`} okText="冻结押金" cancelText="取消" okButtonProps={{ danger: true, loading: send.isPending }} onOk={() => form.submit()} onCancel={onClose} destroyOnHidden>
      <p>
        押金 <strong className="figure">{formatMoney(rider.deposit.amountCents)}</strong> 元。冻结期间不能退还，也不能凭押金用车；到期自动恢复。
      </p>
      <Form<FreezeFields> form={form} layout="vertical" initialValues={{ reason: '', until: null }} onFinish={freeze}>
        <Form.Item name="reason" label="冻结原因" rules={remarkRules}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={REASON_MAX} showCount />
        </Form.Item>
        <Form.Item name="until" label="到期时间" extra="留空为人工恢复">
          <DatePicker showTime={{ format: 'HH:mm' }} format="YYYY-MM-DD HH:mm" placeholder="人工恢复" disabledDate={(day) => day.valueOf() < serverNow() - 86_400_000} />
        </Form.Item>
      </Form>
    </Modal>
  )
}
