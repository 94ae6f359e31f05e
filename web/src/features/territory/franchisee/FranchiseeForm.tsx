import { useQuery } from '@tanstack/react-query'
import { DatePicker, Form, Input, Select } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { agentChoices } from '@/kit/agentChoices'
import { DraftNotice } from '@/kit/DraftNotice'
import { atField } from '@/kit/fieldErrors'
import { formatMoney, parseMoney } from '@/kit/format'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { useDraft } from '@/kit/useDraft'
import {
  AREAS_MAX,
  areasOf,
  COMPANY_MAX,
  COOPERATING,
  DEPOSIT_MAX_YUAN,
  EXPIRED,
  fieldOf,
  formatRatio,
  type Franchisee,
  type FranchiseeValues,
  parseRatio,
  PERSON_MAX,
  REMARK_MAX,
} from './franchisee'
import './franchisee.css'
import { licenseFault } from '@/kit/license'

interface Fields {
  agentId?: string | undefined
  company: string
  contact?: string
  phone?: string
  licenseNo: string
  legalPerson?: string
  serviceAreaIds: string[]
  joinedAt: Dayjs | null
  contractEnd: Dayjs | null
  /** Yuan. */
  deposit: string
  /** Percent. */
  ratio: string
  remark: string
}

/** What of a form outlives a reload: no names, no phone. Days as text. */
type Draft = Omit<Fields, 'contact' | 'phone' | 'legalPerson' | 'joinedAt' | 'contractEnd'> & { joinedAt: string; contractEnd: string }

interface FranchiseeFormProps {
  id: string
  /** The franchisee to change; none to add one. */
  franchisee?: Franchisee
  /** The agent of a new one, when it is settled. */
  agentId?: string | undefined
  /** Resolves when it is saved, rejects when it is not; the command says why. */
  onSave(values: FranchiseeValues, agentId: string): Promise<unknown>
}

const DAY = 'YYYY-MM-DD'
const toDay = (text: string | null | undefined) => (text ? dayjs(text, DAY) : null)
const dayText = (day: Dayjs | null | undefined) => day?.format(DAY) ?? ''

function originalOf(franchisee: Franchisee | undefined, agentId: string | undefined): Fields {
  return {
    agentId: franchisee?.agentId ?? agentId,
    company: franchisee?.company ?? '',
    licenseNo: franchisee?.licenseNo ?? '',
    serviceAreaIds: franchisee?.serviceAreaIds ?? [],
    joinedAt: toDay(franchisee?.joinedAt),
    contractEnd: toDay(franchisee?.contractEnd),
    deposit: franchisee && franchisee.depositPaid > 0 ? formatMoney(franchisee.depositPaid).replaceAll(',', '') : '',
    ratio: franchisee && franchisee.divideRatioBp > 0 ? formatRatio(franchisee.divideRatioBp).replace('%', '') : '',
    remark: franchisee?.remark ?? '',
  }
}

function draftOf(fields: Fields): Draft {
  const { contact: _contact, phone: _phone, legalPerson: _legalPerson, joinedAt, contractEnd, ...rest } = fields
  return { ...rest, joinedAt: dayText(joinedAt), contractEnd: dayText(contractEnd) }
}

/** What the server is told of filled-in fields; names and phone only when they were written anew. */
export function valuesOf(fields: Fields): FranchiseeValues {
  const contact = fields.contact?.trim()
  const phone = fields.phone?.trim()
  const legalPerson = fields.legalPerson?.trim()
  return {
    company: fields.company.trim(),
    licenseNo: fields.licenseNo.trim().toUpperCase(),
    serviceAreaIds: fields.serviceAreaIds,
    joinedAt: dayText(fields.joinedAt),
    contractEnd: dayText(fields.contractEnd),
    depositPaid: Number(parseMoney(fields.deposit || '0') ?? 0n),
    divideRatioBp: parseRatio(fields.ratio || '0') ?? 0,
    remark: fields.remark.trim(),
    ...(contact ? { contact } : {}),
    ...(phone ? { phone } : {}),
    ...(legalPerson ? { legalPerson } : {}),
  }
}

const reject = (fault: string | null) => (fault ? Promise.reject(new Error(fault)) : Promise.resolve())

/** Adds or changes a franchisee; keeps a draft until it is saved. */
export function FranchiseeForm({ id, franchisee, agentId, onSave }: FranchiseeFormProps) {
  const [form] = Form.useForm<Fields>()
  const draftId = franchisee ? `ally_${franchisee.id}_${franchisee.version}` : 'ally_new'
  const original = originalOf(franchisee, agentId)
  const draft = useDraft<Draft>(draftId)
  const agent = Form.useWatch('agentId', form) ?? original.agentId
  const agents = useQuery({ ...agentChoices, enabled: !franchisee && !agentId })
  const areas = useQuery({ ...areasOf(agent ?? ''), enabled: Boolean(agent) })
  const signed = franchisee?.state === COOPERATING
  const history = franchisee?.state === EXPIRED
  const options = new Map((franchisee?.serviceAreas ?? []).map((area) => [area.id, area.name]))
  for (const area of areas.data?.list ?? []) options.set(area.id, area.name)

  const restored: Partial<Fields> = draft.restored
    ? { ...draft.restored, joinedAt: toDay(draft.restored.joinedAt), contractEnd: toDay(draft.restored.contractEnd) }
    : {}
  const save = (fields: Fields) =>
    draft.saving(onSave(valuesOf({ ...original, ...fields }), fields.agentId ?? original.agentId ?? '').catch(atField(form, fieldOf)))
  const kept = (masked: string | undefined, otherwise: string) => (masked ? `${masked}（不修改请留空）` : otherwise)

  return (
    <Form<Fields>
      id={id}
      form={form}
      layout="vertical"
      initialValues={{ ...original, ...restored }}
      onValuesChange={(changed: Partial<Fields>, all) => {
        // Areas belong to one agent.
        if ('agentId' in changed) form.setFieldValue('serviceAreaIds', [])
        draft.keep(draftOf(all))
      }}
      onFinish={(fields) => void save(fields)}
    >
      <DraftNotice draft={draft} missing="联系人、电话和法人需重新填写" onDiscard={() => form.setFieldsValue(original)} />
      {!franchisee && !agentId && (
        <Form.Item name="agentId" label="所属代理" rules={[{ required: true, message: '请选择所属代理' }]}>
          <Select
            showSearch={{ optionFilterProp: 'label' }}
            loading={agents.isLoading}
            placeholder="加盟商与哪家代理签约"
            options={(agents.data?.rows ?? []).map((row) => ({ value: row.agentId, label: row.company }))}
            notFoundContent={agents.isError ? '代理列表加载失败，请重试' : '没有可选择的代理'}
          />
        </Form.Item>
      )}
      <NameItem name="company" label="公司名称" max={COMPANY_MAX} disabled={history} placeholder="营业执照上的全称" />
      <div className="franchisee-pair">
        <Form.Item
          name="contact"
          label="联系人"
          required={!franchisee}
          rules={[{ required: !franchisee, whitespace: true, message: '请输入联系人' }]}
        >
          <Input placeholder={kept(franchisee?.contact, '平时与谁联系')} maxLength={PERSON_MAX} autoComplete="off" />
        </Form.Item>
        <Form.Item
          name="phone"
          label="联系电话"
          required={!franchisee}
          rules={[
            { required: !franchisee, message: '请输入联系电话' },
            { pattern: /^1[3-9]\d{9}$/, message: '手机号格式不正确' },
          ]}
        >
          <Input placeholder={kept(franchisee?.phone, '11 位手机号')} maxLength={11} inputMode="tel" autoComplete="off" />
        </Form.Item>
      </div>
      <div className="franchisee-pair">
        <Form.Item
          name="licenseNo"
          label="统一社会信用代码"
          required={signed}
          rules={[{ validator: (_, text: string) => reject(text?.trim() ? licenseFault(text) : signed ? '已签约，不能留空' : null) }]}
        >
          <Input disabled={history} placeholder="18 位，签约前必填" maxLength={18} autoComplete="off" />
        </Form.Item>
        <Form.Item name="legalPerson" label="法人">
          <Input placeholder={kept(franchisee?.legalPerson, '签约前必填')} maxLength={PERSON_MAX} autoComplete="off" />
        </Form.Item>
      </div>
      <Form.Item
        name="serviceAreaIds"
        label="服务区"
        required={signed}
        extra={agent ? '只能选择所属代理的服务区；签约前至少选一个' : '先选择所属代理'}
        rules={[
          { type: 'array', max: AREAS_MAX, message: `最多 ${AREAS_MAX} 个` },
          { type: 'array', required: signed, min: signed ? 1 : 0, message: '已签约，至少保留一个服务区' },
        ]}
      >
        <Select
          mode="multiple"
          disabled={history || !agent}
          loading={areas.isLoading}
          placeholder="在哪些服务区投放"
          showSearch={{ optionFilterProp: 'label' }}
          options={[...options].map(([value, label]) => ({ value, label }))}
        />
      </Form.Item>
      <div className="franchisee-pair">
        <Form.Item name="joinedAt" label="加盟日期" required={signed} rules={[{ required: signed, message: '已签约，不能留空' }]}>
          <DatePicker disabled={history} placeholder="签约前必填" />
        </Form.Item>
        <Form.Item
          name="contractEnd"
          label="合同到期日"
          required={signed}
          dependencies={['joinedAt']}
          rules={[
            { required: signed, message: '已签约，不能留空' },
            ({ getFieldValue }) => ({
              validator: (_, end: Dayjs | null) => {
                const joined = getFieldValue('joinedAt') as Dayjs | null
                return reject(end && joined && end.isBefore(joined, 'day') ? '不能早于加盟日期' : null)
              },
            }),
          ]}
        >
          <DatePicker disabled={history} placeholder="签约前必填" />
        </Form.Item>
      </div>
      <div className="franchisee-pair">
        <Form.Item
          name="deposit"
          label="保证金"
          rules={[
            {
              validator: (_, text: string) => {
                if (!text) return Promise.resolve()
                const cents = parseMoney(text)
                return reject(cents === null || cents > BigInt(DEPOSIT_MAX_YUAN) * 100n ? '请输入 0 到 1 亿元，最多两位小数' : null)
              },
            },
          ]}
        >
          <Input disabled={history} placeholder="0.00" suffix="元" inputMode="decimal" autoComplete="off" />
        </Form.Item>
        <Form.Item
          name="ratio"
          label="分成比例"
          required={signed}
          rules={[
            {
              validator: (_, text: string) =>
                reject((text && parseRatio(text) === null) || (signed && !parseRatio(text || '0')) ? '请输入 0 到 100，最多两位小数' : null),
            },
          ]}
        >
          <Input disabled={history} placeholder="签约前必填" suffix="%" inputMode="decimal" autoComplete="off" />
        </Form.Item>
      </div>
      <RemarkItem max={REMARK_MAX} disabled={history} />
    </Form>
  )
}
