import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Input, Modal, Radio, Select } from 'antd'
import { useState } from 'react'
import { command } from '@/api/client'
import { type AreaChoice, areasOf } from '@/kit/areaChoices'
import { LoadFailure } from '@/kit/LoadFailure'
import { useCommand } from '@/kit/useCommand'
import { type Kind, stale } from './config'

const AREAS_MOST = 200
const NOTE_MAX = 200

interface CopyDialogProps {
  kind: Kind
  title: string
  area: AreaChoice
  /** What may be copied; a draft has no number. */
  sources: readonly { value: number | null; label: string }[]
  onClose(): void
}

interface CopyFields {
  source: number
  to: string[]
  publish: boolean
  note: string
}

/** A select has no null. */
const DRAFT = -1

/** Copies what an area has to others: as a draft, or counting at once; each is judged alone. */
export function CopyDialog({ kind, title, area, sources, onClose }: CopyDialogProps) {
  const areas = useQuery(areasOf([]))
  const [form] = Form.useForm<CopyFields>()
  const [refused, setRefused] = useState<readonly { name: string; why: string }[] | null>(null)
  const copy = useCommand({ run: command.post('/config/area/copy'), stale })
  const others = (areas.data ?? []).filter(({ id }) => id !== area.id)
  const nameOf = (id: string) => others.find((one) => one.id === id)?.name ?? id
  const send = async ({ source, to, publish, note }: CopyFields) => {
    const { results } = await copy.mutateAsync({ kind, opAreaId: area.id, dataVersion: source === DRAFT ? null : source, to, publish, note: note.trim() })
    const left = (results ?? []).filter(({ suc }) => !suc)
    setRefused(left.map(({ key, error }) => ({ name: nameOf(key), why: error?.promot ?? '没有说明原因' })))
    form.setFieldsValue({ to: left.map(({ key }) => key) })
  }
  const done = refused !== null && (form.getFieldValue('to') as string[]).length === 0
  return (
    <Modal
      open
      title={`复制「${area.name}」的${title}`}
      okText={done ? '完成' : '复制'}
      cancelText={refused ? '关闭' : '取消'}
      okButtonProps={{ loading: copy.isPending }}
      onOk={() => (done ? onClose() : form.submit())}
      onCancel={onClose}
      destroyOnHidden
    >
      {refused &&
        (refused.length === 0 ? (
          <Alert className="notice" type="success" showIcon title="已全部复制" />
        ) : (
          <Alert
            className="notice"
            type="warning"
            showIcon
            title={`有 ${refused.length} 个服务区没有复制，其余已完成`}
            description={
              <ul className="copy-refused">
                {refused.map(({ name, why }) => (
                  <li key={name}>
                    {name}：{why}
                  </li>
                ))}
              </ul>
            }
          />
        ))}
      <LoadFailure query={areas} text="服务区加载失败" />
      <Form<CopyFields>
        form={form}
        layout="vertical"
        initialValues={{ source: sources[0]?.value ?? DRAFT, to: [], publish: false, note: '' }}
        onFinish={(fields) => void send(fields).catch(() => undefined)}
      >
        <Form.Item name="source" label="复制哪一版">
          <Select options={sources.map(({ value, label }) => ({ value: value ?? DRAFT, label }))} />
        </Form.Item>
        <Form.Item
          name="to"
          label="复制到"
          extra={`一次最多 ${AREAS_MOST} 个服务区；已有未发布草稿的服务区保持不变`}
          rules={[{ required: true, type: 'array', min: 1, max: AREAS_MOST, message: `请选择 1 到 ${AREAS_MOST} 个服务区` }]}
        >
          <Select
            mode="multiple"
            allowClear
            showSearch={{ optionFilterProp: 'label' }}
            maxTagCount={8}
            placeholder="选择服务区"
            notFoundContent="没有其他服务区"
            options={others.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Form.Item>
        <Form.Item name="publish" label="复制后">
          <Radio.Group
            options={[
              { value: false, label: '存为草稿' },
              { value: true, label: '立即生效' },
            ]}
          />
        </Form.Item>
        <Form.Item noStyle dependencies={['publish']}>
          {({ getFieldValue }) =>
            getFieldValue('publish') === true && (
              <Form.Item name="note" label="发布说明">
                <Input.TextArea autoSize={{ minRows: 1, maxRows: 3 }} maxLength={NOTE_MAX} placeholder="例如：与湖滨统一价格" />
              </Form.Item>
            )
          }
        </Form.Item>
      </Form>
    </Modal>
  )
}
