import { useQuery } from '@tanstack/react-query'
import { DatePicker, Form, Modal, Radio, Select } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { useEffect } from 'react'
import { command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { mispricingSubjectLabels } from '@/api/generated/labels'
import { areasOf } from '@/kit/areaChoices'
import { numberedOptionsOf } from '@/kit/choice'
import { LoadFailure } from '@/kit/LoadFailure'
import { RemoteSelect } from '@/kit/list/RemoteSelect'
import { useCommand } from '@/kit/useCommand'
import { choiceText, countedUntil, DAYS_MAX, FENCE, FIND_PATH, mispricingsStale, NOT_THERE, type Subject, wrongFences, wrongVersions } from './mispricing'
import { momentOf, writtenOf } from './order'

/** What is known of it already. */
export interface Asked {
  subject: Subject
  opAreaId?: string | undefined
  fenceId?: string | undefined
  version?: number | undefined
}

interface Fields extends Asked {
  instead?: number
  range?: [Dayjs, Dayjs]
}

interface FindMispricedProps {
  asked: Asked
  onFound(id: string): void
  onClose(): void
}

const WRITTEN = 'YYYY-MM-DD HH:mm:ss'
const SECOND_MS = 1000
const CHOSEN: readonly (keyof Fields)[] = ['fenceId', 'version', 'instead', 'range']

/** Asks which version was wrong and which should have counted, and has every order of it priced again. */
export function FindMispriced({ asked, onFound, onClose }: FindMispricedProps) {
  const [form] = Form.useForm<Fields>()
  const areas = useQuery(areasOf([]))
  const subject = Form.useWatch('subject', form) ?? asked.subject
  const opAreaId = Form.useWatch('opAreaId', form) ?? asked.opAreaId ?? ''
  const fenceId = Form.useWatch('fenceId', form) ?? asked.fenceId
  const version = Form.useWatch('version', form) ?? asked.version
  const versions = useQuery(wrongVersions(opAreaId, subject, fenceId))
  const find = useCommand({ run: command.post(FIND_PATH), stale: mispricingsStale })
  const known = versions.data ?? []
  const options = known.map((one) => ({ value: one.version, label: choiceText(subject, one) }))
  const chosen = known.find((one) => one.version === version)

  // The time in which the wrong version counted is what is looked at, until somebody says otherwise.
  useEffect(() => {
    const range = chosen && countedUntil(chosen, serverNow())
    if (range) form.setFieldsValue({ range: [dayjs(writtenOf(range[0])), dayjs(writtenOf(range[1]))] })
  }, [chosen, form])

  const forget = (...names: (keyof Fields)[]) => form.setFieldsValue(Object.fromEntries(names.map((name) => [name, undefined])))
  const send = async ({ instead, range, ...fields }: Fields) => {
    const [from, until] = (range ?? []).map((at) => momentOf(at.format(WRITTEN)) ?? 0)
    const body = {
      opAreaId: fields.opAreaId ?? '',
      subject: fields.subject,
      fenceId: fields.subject === FENCE ? (fields.fenceId ?? null) : null,
      version: fields.version ?? 0,
      instead: instead === undefined || instead === NOT_THERE ? null : instead,
      from: from ?? 0,
      // The second that is written is part of it.
      until: (until ?? 0) + SECOND_MS,
    }
    const { id } = await find.mutateAsync(body)
    onFound(id)
  }
  return (
    <Modal open title="核对受影响订单" okText="开始核对" cancelText="取消" confirmLoading={find.isPending} onOk={() => form.submit()} onCancel={onClose} destroyOnHidden>
      <p>系统按应当生效的版本逐单重算在所选时间内结束、已计费的订单，列出多收与少收；核对不会动钱，也不会通知用户。</p>
      <LoadFailure query={areas} text="服务区加载失败" />
      <Form<Fields>
        form={form}
        layout="vertical"
        initialValues={asked}
        onValuesChange={(changed) => {
          if ('opAreaId' in changed || 'subject' in changed) forget(...CHOSEN)
          if ('fenceId' in changed) forget('version', 'instead', 'range')
          if ('version' in changed) forget('instead')
        }}
        onFinish={(fields) => void send(fields).catch(() => undefined)}
      >
        <Form.Item name="opAreaId" label="服务区" required rules={[{ required: true, message: '请选择服务区' }]}>
          <Select
            showSearch={{ optionFilterProp: 'label' }}
            placeholder="选择服务区"
            loading={areas.isLoading}
            options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Form.Item>
        <Form.Item name="subject" label="什么有误" required>
          <Radio.Group options={numberedOptionsOf(mispricingSubjectLabels)} />
        </Form.Item>
        {subject === FENCE && (
          <Form.Item name="fenceId" label="围栏" required rules={[{ required: true, message: '请选择围栏' }]} extra="停车区、禁停区和禁行区，包括已删除的；其他服务区的禁区也可能罚到这里的订单，每个服务区分别核对">
            <FenceField key={opAreaId} opAreaId={opAreaId} />
          </Form.Item>
        )}
        <LoadFailure query={versions} text="版本加载失败" />
        <Form.Item name="version" label="有误的版本" required rules={[{ required: true, message: '请选择有误的版本' }]}>
          <Select placeholder="选择版本" loading={versions.isFetching} options={options} notFoundContent={opAreaId ? '没有发布过的版本' : '请先选择服务区'} />
        </Form.Item>
        <Form.Item name="instead" label="应当生效的版本" required rules={[{ required: true, message: '请选择应当生效的版本' }]}>
          <Select
            placeholder="选择版本"
            options={[...(subject === FENCE ? [{ value: NOT_THERE, label: '不设围栏' }] : []), ...options.filter(({ value }) => value !== version)]}
            notFoundContent="没有其他版本，请先发布正确的版本"
          />
        </Form.Item>
        <Form.Item
          name="range"
          label="订单结束时间"
          required
          extra={`默认为有误版本生效的时间，最长 ${DAYS_MAX} 天；一次最多列出最近的 5,000 个应退订单`}
          rules={[
            { required: true, message: '请选择时间范围' },
            {
              validator: (_, range?: [Dayjs, Dayjs]) =>
                range && range[1].diff(range[0], 'second') >= DAYS_MAX * 86_400 ? Promise.reject(new Error(`最长 ${DAYS_MAX} 天`)) : Promise.resolve(),
            },
          ]}
        >
          <DatePicker.RangePicker showTime format={WRITTEN} />
        </Form.Item>
      </Form>
    </Modal>
  )
}

interface FenceFieldProps {
  opAreaId: string
  value?: string
  onChange?(value: string | undefined): void
}

function FenceField({ opAreaId, value, onChange }: FenceFieldProps) {
  return <RemoteSelect label="围栏" placeholder="围栏名称" width={472} choices={wrongFences(opAreaId)} disabled={opAreaId === ''} value={value} onChange={(id) => onChange?.(id)} />
}
