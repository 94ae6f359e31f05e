import { Button, Form, Radio } from 'antd'
import { useQuery } from '@tanstack/react-query'
import { agentChoices } from '@/kit/areaChoices'
import { usePermit } from '@/kit/Permit'
import { Pair, PhoneItem } from '@/kit/record/items'
import { RecordForm } from '@/kit/record/RecordForm'
import { rule } from '@/kit/record/rule'
import { TextItem } from '@/kit/TextItems'
import { certificateFault, certificateName } from './identity'
import { accountTypes, type Application, COMPANY, NAME_MAX, type PaymentAccount, PERSON, PERSON_MAX } from './paymentAccount'
import { nameRules, unmasked } from './rules'
import { useOpenAccount } from './usePaymentAccountCommands'

type Fields = Omit<Application, 'agentId'>
/** What outlives a reload: nothing that identifies a person. */
type Kept = Partial<Pick<Fields, 'accountType' | 'customerName' | 'certNo'>>

/** What of a form is kept as a draft. */
export function draftOf({ accountType, customerName, certNo }: Partial<Fields>): Kept {
  return accountType === PERSON ? { accountType } : { accountType, customerName, certNo }
}

/** What the server is told of filled-in fields. */
export function applicationOf(fields: Fields, agentId: string): Application {
  return {
    agentId,
    accountType: fields.accountType,
    customerName: fields.customerName.trim(),
    certNo: fields.certNo.trim().toUpperCase(),
    contact: fields.contact.trim(),
    phone: fields.phone.trim(),
  }
}

const nameLabels: Readonly<Record<number, string>> = { [PERSON]: '姓名', [COMPANY]: '企业名称' }

/** Whose account it becomes: nobody is to find out afterwards. */
function ForAgent({ agentId, name }: { agentId: string; name: string | undefined }) {
  const mayListAgents = usePermit('1101||1103')
  const choices = useQuery({ ...agentChoices, enabled: mayListAgents && name === undefined })
  const found = name ?? choices.data?.find((agent) => agent.agentId === agentId)?.company
  return (
    <Form.Item label="开户的代理商" required className="pay-agent">
      <strong>{found ?? `代理编号 ${agentId}`}</strong>
      <span className="weak">与页面上方选择的代理商无关；收入将分到这个代理商的账户。</span>
    </Form.Item>
  )
}

interface OpeningFormProps {
  agentId: string
  /** The application that failed, to be sent again. */
  failed?: PaymentAccount
}

/** The application for a payment account; keeps a draft until it is sent. */
export function OpeningForm({ agentId, failed }: OpeningFormProps) {
  const [form] = Form.useForm<Fields>()
  const open = useOpenAccount()
  const original = { accountType: failed?.accountType ?? COMPANY, customerName: unmasked(failed?.customerName ?? ''), certNo: '', contact: '', phone: '' }
  const type = Form.useWatch('accountType', form) ?? original.accountType
  const person = type === PERSON
  const certificate = certificateName(type)
  const again = (masked: string | undefined, otherwise: string) => (masked ? `${masked}（请重新填写）` : otherwise)
  return (
    <RecordForm<Fields>
      className="pay-form"
      draft={[`payment_account_${agentId}`, failed?.id, failed?.version]}
      form={form}
      original={original}
      kept={draftOf}
      missing="姓名、身份证号、联系人和手机号需重新填写"
      // A number of the one kind is none of the other.
      follow={(changed) => ('accountType' in changed ? { certNo: '' } : {})}
      onSave={(fields) => open.mutateAsync(applicationOf(fields, agentId))}
    >
      <ForAgent agentId={agentId} name={failed?.agentName} />
      <Form.Item name="accountType" label="账户类型" required>
        <Radio.Group optionType="button" options={[...accountTypes]} />
      </Form.Item>
      <Pair>
        <TextItem
          name="customerName"
          label={nameLabels[type] ?? '字号名称'}
          rules={nameRules(person ? '请输入姓名' : '请输入营业执照上的名称', NAME_MAX)}
          placeholder={person ? '身份证上的姓名' : '营业执照上的全称'}
          maxLength={NAME_MAX}
        />
        <TextItem
          name="certNo"
          label={certificate}
          required
          rules={[rule((text) => (text ? certificateFault(type, text) : `请输入${certificate}`))]}
          placeholder={again(failed?.accountType === type ? failed.certNoMasked : undefined, `18 位${certificate}`)}
          maxLength={18}
        />
      </Pair>
      <Pair>
        <TextItem
          name="contact"
          label="联系人"
          rules={nameRules('请输入联系人', PERSON_MAX)}
          placeholder={again(failed?.contact, '支付渠道核实资料时联系谁')}
          maxLength={PERSON_MAX}
        />
        <PhoneItem name="phone" label="联系手机" required placeholder={again(failed?.phoneMasked, '11 位手机号')} />
      </Pair>
      <Button type="primary" htmlType="submit" loading={open.isPending}>
        {failed ? '重新提交' : '提交开户申请'}
      </Button>
    </RecordForm>
  )
}
