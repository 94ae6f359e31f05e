import { DatePicker, Form, Input, Modal } from 'antd'
import type { Dayjs } from 'dayjs'
import { command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { Pair } from '@/kit/record/items'
import { useCommand } from '@/kit/useCommand'
import { type Area, AREA_PATH, NOTICE_MAX, stale, SUSPENDED, stopFault } from './area'

interface Fields {
  notice: string
  begin: Dayjs | null
  end: Dayjs | null
}

/** Asks from when and until when an area is to be suspended, and what riders are told. */
export function StopDialog({ area, onClose }: { area: Area; onClose: () => void }) {
  const { id, name, state, vehicleCount } = area
  const [form] = Form.useForm<Fields>()
  const notice = Form.useWatch('notice', form) ?? ''
  const begin = Form.useWatch('begin', form) ?? null
  const end = Form.useWatch('end', form) ?? null
  const setState = useCommand({ run: command.post(`${AREA_PATH}/state`), stale, done: '服务区状态已更新' })
  const fault = stopFault(begin?.valueOf() ?? null, end?.valueOf() ?? null, serverNow())
  const suspended = state === SUSPENDED
  const act = suspended ? '修改停运' : begin ? '安排停运' : '暂停服务'
  return (
    <Modal
      open
      title={`${act}「${name}」？`}
      okText={act}
      cancelText="取消"
      okButtonProps={{ danger: true, disabled: notice.trim() === '' || fault !== null, loading: setState.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
      destroyOnHidden
    >
      <p>
        区内 {vehicleCount.toLocaleString()} 辆车{begin ? '到时不可租' : suspended ? '仍不可租' : '立即不可租'}，正在进行的骑行不受影响。公告会告诉骑行用户原因：
      </p>
      <Form<Fields>
        form={form}
        layout="vertical"
        initialValues={{ notice: area.notice, begin: null, end: null }}
        onFinish={(fields) => {
          const stopBeginAt = fields.begin?.valueOf() ?? null
          const stopEndAt = fields.end?.valueOf() ?? null
          setState.mutateAsync({ id, state: SUSPENDED, notice: fields.notice.trim(), stopBeginAt, stopEndAt }).then(onClose, () => undefined)
        }}
      >
        <Form.Item name="notice" label="停运公告">
          <Input.TextArea maxLength={NOTICE_MAX} showCount autoSize={{ minRows: 2 }} placeholder="例如：受台风影响，今日 18:00 起暂停服务" />
        </Form.Item>
        <Pair>
          {!suspended && (
            <Form.Item name="begin" label="停运开始" extra="留空则立即">
              <DatePicker showTime={{ format: 'HH:mm' }} format="YYYY-MM-DD HH:mm" placeholder="立即" />
            </Form.Item>
          )}
          <Form.Item name="end" label="自动恢复" extra="到时自动恢复运营；留空则由人恢复" validateStatus={fault ? 'error' : ''} help={fault}>
            <DatePicker showTime={{ format: 'HH:mm' }} format="YYYY-MM-DD HH:mm" placeholder="由人恢复" />
          </Form.Item>
        </Pair>
      </Form>
    </Modal>
  )
}
