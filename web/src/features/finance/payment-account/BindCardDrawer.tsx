import { useQueryClient } from '@tanstack/react-query'
import { Alert, AutoComplete, Button, Form, Input } from 'antd'
import { useState } from 'react'
import { useCountdown } from '@/app/login/useCountdown'
import { FormDrawer } from '@/kit/FormDrawer'
import { PhoneItem } from '@/kit/record/items'
import { rule } from '@/kit/record/rule'
import { TextItem } from '@/kit/TextItems'
import { BANK_MAX, type BankCard, CARD_FAILED, CARD_PENDING, type CardValues, CUSTOMER, NAME_MAX, type PaymentAccountDetail, PERSON } from './paymentAccount'
import { CardNumberInput } from './CardNumberInput'
import { cardNumberFault } from './cardNumber'
import { holderFault } from './identity'
import { keepInUse, mobileOf } from './inUse'
import { nameRules } from './rules'
import { useBindCard, useCheckCard, useSendCardCode } from './usePaymentAccountCommands'

const FORM = 'bind-card-form'
const CODE_FORM = 'bind-card-code'

const banks = [
  '中国工商银行', '中国农业银行', '中国银行', '中国建设银行', '交通银行', '中国邮政储蓄银行', '招商银行', '浦发银行',
  '中信银行', '中国光大银行', '中国民生银行', '兴业银行', '平安银行', '广发银行', '华夏银行',
].map((value) => ({ value }))

interface BindCardDrawerProps {
  account: PaymentAccountDetail
  /** A card that waits for its code. */
  pending: BankCard | null
  onClose(): void
}

/** Binds a bank card in two steps: its data, then the code that its mobile was sent. */
export function BindCardDrawer({ account, pending, onClose }: BindCardDrawerProps) {
  const client = useQueryClient()
  const bind = useBindCard()
  const check = useCheckCard()
  const send = useSendCardCode()
  const [left, startCountdown] = useCountdown()
  // Lives as long as the drawer: numbers of cards and people are kept in no draft.
  const [values, setValues] = useState<CardValues | null>(null)
  const [bindId, setBindId] = useState<string | null>(pending?.id ?? null)
  const card = account.cards.find(({ id }) => id === bindId) ?? null
  const failed = card?.state === CARD_FAILED
  const inCode = bindId !== null && !failed
  const mobile = values?.bankMobile ?? (pending && mobileOf(pending))

  const submit = (next: CardValues) => {
    setValues(next)
    bind.mutateAsync({ ...next, accountId: account.id }).then(
      (answer) => {
        keepInUse(next)
        setBindId(answer.bindId)
        startCountdown()
      },
      () => undefined,
    )
  }
  const confirm = ({ smsCode }: { smsCode: string }) => {
    if (bindId === null) return
    // A refusal may have ended the binding: then the form says so.
    check.mutateAsync({ bindId, smsCode }).then(onClose, () => client.invalidateQueries({ queryKey: [CUSTOMER] }))
  }
  const resend = () => {
    if (mobile) send.mutateAsync({ accountId: account.id, phone: mobile, scene: 'bindCard' }).then(startCountdown, () => undefined)
  }
  return (
    <FormDrawer
      title="绑定银行卡"
      form={inCode ? CODE_FORM : FORM}
      saveText={inCode ? '确认绑定' : '获取验证码'}
      saving={inCode ? check.isPending : bind.isPending}
      onClose={onClose}
    >
      {failed && <Alert className="notice" type="error" showIcon title={card.reason ?? '上一次绑定没有成功'} description="请核对后重新获取验证码。" />}
      {inCode ? (
        <CodeStep
          to={card?.mobileMasked ?? mobile ?? ''}
          card={card?.cardNoMasked ?? ''}
          left={left}
          sending={send.isPending}
          onConfirm={confirm}
          onResend={mobile === null ? null : resend}
          onBack={() => setBindId(null)}
        />
      ) : (
        <CardForm type={account.accountType} values={values} pending={pending?.state === CARD_PENDING} onSubmit={submit} />
      )}
    </FormDrawer>
  )
}

interface CardFormProps {
  /** The type of the account. */
  type: number
  values: CardValues | null
  pending: boolean
  onSubmit(values: CardValues): void
}

function CardForm({ type, values, pending, onSubmit }: CardFormProps) {
  return (
    <Form<CardValues>
      id={FORM}
      layout="vertical"
      {...(values ? { initialValues: values } : {})}
      onFinish={(fields) =>
        onSubmit({
          cardNo: fields.cardNo,
          bankName: fields.bankName.trim(),
          holder: fields.holder.trim(),
          idNo: fields.idNo.trim().toUpperCase(),
          bankMobile: fields.bankMobile.trim(),
        })
      }
    >
      {pending && <p className="weak">重新填写会替换正在等待验证的那张卡。</p>}
      <Form.Item name="cardNo" label="银行卡号" required rules={[rule((text) => (text ? cardNumberFault(text) : '请输入银行卡号'))]}>
        <CardNumberInput />
      </Form.Item>
      <Form.Item name="bankName" label="开户银行" rules={nameRules('请输入开户银行', BANK_MAX)}>
        <AutoComplete options={banks} showSearch={{ filterOption: (typed, bank) => bank?.value.includes(typed) ?? false }}>
          <Input placeholder="如：招商银行" maxLength={BANK_MAX} autoComplete="off" />
        </AutoComplete>
      </Form.Item>
      <TextItem name="holder" label="持卡人" rules={nameRules('请输入持卡人', NAME_MAX)} placeholder="与银行预留的名称一致" maxLength={NAME_MAX} />
      <TextItem
        name="idNo"
        label="持卡人证件号"
        required
        rules={[rule((text) => (text ? holderFault(type, text) : '请输入持卡人的证件号'))]}
        placeholder={type === PERSON ? '18 位身份证号' : '18 位身份证号，对公账户填统一社会信用代码'}
        maxLength={18}
      />
      <PhoneItem name="bankMobile" label="银行预留手机号" required extra="验证码会发到这个手机号" placeholder="11 位手机号" />
    </Form>
  )
}

interface CodeStepProps {
  to: string
  card: string
  /** Seconds until another code may be asked for. */
  left: number
  sending: boolean
  onConfirm(fields: { smsCode: string }): void
  /** Null when this browser does not know the mobile. */
  onResend: (() => void) | null
  onBack(): void
}

function CodeStep({ to, card, left, sending, onConfirm, onResend, onBack }: CodeStepProps) {
  return (
    <Form<{ smsCode: string }> id={CODE_FORM} layout="vertical" onFinish={onConfirm}>
      <p>
        验证码已发到 <strong className="figure">{to}</strong>，10 分钟内有效，用于绑定 <span className="figure pay-number">{card}</span>。
      </p>
      <Form.Item label="验证码" htmlFor="smsCode" required>
        <div className="pay-code">
          <Form.Item name="smsCode" noStyle rules={[{ pattern: /^\d{6}$/, required: true, message: '请输入 6 位验证码' }]}>
            <Input placeholder="6 位数字" maxLength={6} inputMode="numeric" autoComplete="one-time-code" autoFocus />
          </Form.Item>
          {onResend && (
            <Button disabled={left > 0} loading={sending} onClick={onResend}>
              {left > 0 ? `重新发送(${left}s)` : '重新发送'}
            </Button>
          )}
        </div>
      </Form.Item>
      <Button type="link" size="small" className="pay-back" onClick={onBack}>
        信息有误？重新填写银行卡
      </Button>
    </Form>
  )
}
