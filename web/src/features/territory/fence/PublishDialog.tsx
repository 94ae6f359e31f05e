import { DatePicker, Form, Modal, Radio } from 'antd'
import type { Dayjs } from 'dayjs'
import { command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { useCommand } from '@/kit/useCommand'
import { type Fence, stale, typeLabels } from './fence'
import { asked, useOverlapAsked } from './overlap'
import { PreviewTable } from './PreviewTable'

const WRITTEN = 'YYYY-MM-DDTHH:mm:00+08:00'

/** A minute of the operation's clock, wherever one is. */
const momentOf = (picked: Dayjs | null | undefined) => (picked ? Date.parse(picked.format(WRITTEN)) : undefined)

interface Fields {
  when: 'now' | 'later'
  from?: Dayjs | null
  until?: Dayjs | null
}

/** Asks from when a draft is to count, and whether it ends by itself. */
export function PublishDialog({ fence, onClose }: { fence: Fence; onClose(): void }) {
  const publish = useCommand({ run: useOverlapAsked(command.post('/fence/publish')), stale, done: '围栏已发布', fieldOf: asked })
  const [form] = Form.useForm<Fields>()
  const later = Form.useWatch('when', form) === 'later'
  return (
    <Modal
      open
      title={`发布${typeLabels[fence.type]}「${fence.name}」`}
      okText="发布"
      cancelText="取消"
      okButtonProps={{ loading: publish.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
      destroyOnHidden
    >
      <p>
        发布后成为第 {fence.dataVersion + 1} 版，从生效时间起{fence.type === 'maintain' ? '按新边界划分站点和车辆。' : '按新边界判断还车；此前的还车仍按当时的版本判断。'}
      </p>
      {fence.type !== 'maintain' && fence.type !== 'custom' && <PreviewTable fence={fence} />}
      <Form<Fields>
        form={form}
        layout="vertical"
        initialValues={{ when: 'now' }}
        onFinish={({ when, from, until }) => {
          const begins = when === 'later' ? momentOf(from) : undefined
          publish
            .mutateAsync({ id: fence.id, version: fence.version, from: begins ?? null, until: momentOf(until) ?? null })
            .then(onClose, () => undefined)
        }}
      >
        <Form.Item name="when" label="生效时间">
          <Radio.Group
            options={[
              { value: 'now', label: '立即生效' },
              { value: 'later', label: '定时生效' },
            ]}
          />
        </Form.Item>
        {later && (
          <Form.Item
            name="from"
            label="从何时起"
            rules={[
              { required: true, message: '请选择生效时间' },
              { validator: (_, picked?: Dayjs) => ((momentOf(picked) ?? Infinity) < serverNow() ? Promise.reject(new Error('不能早于现在')) : Promise.resolve()) },
            ]}
          >
            <DatePicker showTime={{ format: 'HH:mm' }} format="YYYY-MM-DD HH:mm" placeholder="选择时间" />
          </Form.Item>
        )}
        <Form.Item name="until" label="失效时间" extra="临时围栏到时自动失效；留空则一直有效">
          <DatePicker showTime={{ format: 'HH:mm' }} format="YYYY-MM-DD HH:mm" placeholder="一直有效" />
        </Form.Item>
      </Form>
    </Modal>
  )
}
