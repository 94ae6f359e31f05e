import { useQuery } from '@tanstack/react-query'
import { Form } from 'antd'
import { command } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import { formatMoney, parseMoney } from '@/kit/format'
import { licenseFault } from '@/kit/license'
import { AgentItem, ChoiceItem } from '@/kit/record/ChoiceItem'
import { DayItem, Pair, PhoneItem } from '@/kit/record/items'
import { RecordForm, without } from '@/kit/record/RecordForm'
import { rule } from '@/kit/record/rule'
import { NameItem, RemarkItem, TextItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { COOPERATING, EXPIRED, formatRatio, type Franchisee, FRANCHISEE_PATH, parseRatio, REMARK_MAX, stale } from './franchisee'

interface Fields {
  agentId?: string | undefined
  company: string
  contact?: string
  phone?: string
  licenseNo: string
  legalPerson?: string
  serviceAreaIds: string[]
  joinedAt: string
  contractEnd: string
  /** Yuan. */
  deposit: string
  /** Percent. */
  ratio: string
  remark: string
}

interface FranchiseeFormProps {
  /** The franchisee to change; none to add one. */
  franchisee?: Franchisee
  /** The agent of a new one, when it is settled. */
  agentId?: string
  onSaved(): void
}

const fieldOf = { 'ally-license-taken': 'licenseNo' }
const PERSON_MAX = 20
const AREAS_MAX = 100
const DEPOSIT_MAX = 100_000_000_00n

function originalOf(franchisee: Franchisee | undefined, agent: string | undefined): Fields {
  const { agentId = agent, company = '', licenseNo = '', serviceAreaIds = [], depositPaid = 0, divideRatioBp = 0, remark = '' } = franchisee ?? {}
  const joinedAt = franchisee?.joinedAt ?? ''
  const contractEnd = franchisee?.contractEnd ?? ''
  const deposit = depositPaid > 0 ? formatMoney(depositPaid).replaceAll(',', '') : ''
  const ratio = divideRatioBp > 0 ? formatRatio(divideRatioBp).replace('%', '') : ''
  return { agentId, company, licenseNo, serviceAreaIds, joinedAt, contractEnd, deposit, ratio, remark }
}

/** What the server is told of filled-in fields; names and phone only when they were written anew. */
export function valuesOf({ contact, phone, legalPerson, deposit, ratio, ...fields }: Omit<Fields, 'agentId'>) {
  return {
    ...fields,
    licenseNo: fields.licenseNo.toUpperCase(),
    depositPaid: Number(parseMoney(deposit || '0') ?? 0n),
    divideRatioBp: parseRatio(ratio || '0') ?? 0,
    ...(contact ? { contact } : {}),
    ...(phone ? { phone } : {}),
    ...(legalPerson ? { legalPerson } : {}),
  }
}

/** Adds or changes a franchisee. */
export function FranchiseeForm({ franchisee, agentId, onSaved }: FranchiseeFormProps) {
  const create = useCommand({ run: command.post(FRANCHISEE_PATH), stale, done: '加盟商已登记', fieldOf })
  const change = useCommand({ run: command.put(FRANCHISEE_PATH), stale, done: '加盟商资料已保存', fieldOf })
  const [form] = Form.useForm<Fields>()
  const original = originalOf(franchisee, agentId)
  const agent = Form.useWatch('agentId', form) ?? original.agentId
  const signed = franchisee?.state === COOPERATING
  const disabled = franchisee?.state === EXPIRED
  const kept = (masked: string | undefined, otherwise: string) => (masked ? `${masked}（不修改请留空）` : otherwise)
  const save = ({ agentId: chosen = '', ...fields }: Fields) =>
    franchisee
      ? change.mutateAsync({ ...valuesOf(fields), id: franchisee.id, version: franchisee.version })
      : create.mutateAsync({ ...valuesOf(fields), agentId: chosen })
  const needed = { required: signed, rules: [{ required: signed, message: '已签约，不能留空' }], disabled, placeholder: '签约前必填' }

  return (
    <RecordForm<Fields>
      draft={['ally', franchisee?.id, franchisee?.version]}
      form={form}
      original={original}
      kept={(fields) => without(fields, 'contact', 'phone', 'legalPerson')}
      missing="联系人、电话和法人需重新填写"
      // Areas belong to one agent.
      follow={(changed) => ('agentId' in changed ? { serviceAreaIds: [] } : {})}
      fieldOf={fieldOf}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      {!original.agentId && <AgentItem label="所属代理" placeholder="加盟商与哪家代理签约" none="没有可选择的代理" />}
      <NameItem name="company" label="公司名称" max={64} disabled={disabled} placeholder="营业执照上的全称" />
      <Pair>
        <TextItem
          name="contact"
          label="联系人"
          required={!franchisee}
          rules={[{ required: !franchisee, whitespace: true, message: '请输入联系人' }]}
          placeholder={kept(franchisee?.contact, '平时与谁联系')}
          maxLength={PERSON_MAX}
        />
        <PhoneItem
          name="phone"
          label="联系电话"
          required={!franchisee}
          wrong="手机号格式不正确"
          placeholder={kept(franchisee?.phone, '11 位手机号')}
        />
      </Pair>
      <Pair>
        <TextItem
          name="licenseNo"
          label="统一社会信用代码"
          required={signed}
          rules={[rule((text) => (text ? licenseFault(text) : signed && '已签约，不能留空'))]}
          disabled={disabled}
          placeholder="18 位，签约前必填"
          maxLength={18}
        />
        <TextItem name="legalPerson" label="法人" placeholder={kept(franchisee?.legalPerson, '签约前必填')} maxLength={PERSON_MAX} />
      </Pair>
      <AreasItem agent={agent} known={franchisee?.serviceAreas ?? []} signed={signed} disabled={disabled} />
      <Pair>
        <DayItem name="joinedAt" label="加盟日期" {...needed} />
        <DayItem
          name="contractEnd"
          label="合同到期日"
          dependencies={['joinedAt']}
          {...needed}
          // Days as text are in the order of days.
          rules={[...needed.rules, rule((end) => end !== '' && end < (form.getFieldValue('joinedAt') as string) && '不能早于加盟日期')]}
        />
      </Pair>
      <Pair>
        <TextItem
          name="deposit"
          label="保证金"
          rules={[rule((text) => text !== '' && (parseMoney(text) ?? DEPOSIT_MAX + 1n) > DEPOSIT_MAX && '请输入 0 到 1 亿元，最多两位小数')]}
          disabled={disabled}
          placeholder="0.00"
          suffix="元"
          inputMode="decimal"
        />
        <TextItem
          name="ratio"
          label="分成比例"
          required={signed}
          rules={[rule((text) => (parseRatio(text || '0') === null || (signed && !parseRatio(text || '0'))) && '请输入 0 到 100，最多两位小数')]}
          disabled={disabled}
          placeholder="签约前必填"
          suffix="%"
          inputMode="decimal"
        />
      </Pair>
      <RemarkItem max={REMARK_MAX} disabled={disabled} />
    </RecordForm>
  )
}

interface AreasItemProps {
  /** Whose areas; none while no agent is chosen. */
  agent: string | undefined
  /** Those it has already, whoever else has them by now. */
  known: Franchisee['serviceAreas']
  signed: boolean
  disabled: boolean
}

function AreasItem({ agent, known, signed, disabled }: AreasItemProps) {
  const areas = useQuery({ ...areasOf([agent ?? '']), enabled: Boolean(agent) })
  const names = new Map([...known, ...(areas.data ?? [])].map(({ id, name }) => [id, name]))
  return (
    <ChoiceItem
      name="serviceAreaIds"
      label="服务区"
      mode="multiple"
      required={signed}
      extra={agent ? '只能选择所属代理的服务区；签约前至少选一个' : '先选择所属代理'}
      rules={[
        { type: 'array', max: AREAS_MAX, message: `最多 ${AREAS_MAX} 个` },
        { type: 'array', required: signed, min: signed ? 1 : 0, message: '已签约，至少保留一个服务区' },
      ]}
      disabled={disabled || !agent}
      placeholder="在哪些服务区投放"
      query={areas}
      none="这家代理还没有服务区"
      options={[...names].map(([value, label]) => ({ value, label }))}
    />
  )
}
