import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Modal } from 'antd'
import '@/kit/notice.css'
import { command } from '@/api/client'
import { AgentItem } from '@/kit/record/ChoiceItem'
import { useCommand } from '@/kit/useCommand'
import { type Area, AREA_PATH, areaInfo, handOverFault, stale } from './area'

/** Asks to whom an area goes, and says what that means. */
export function HandOverDialog({ area, onClose }: { area: Area; onClose: () => void }) {
  const [form] = Form.useForm<{ agentId: string }>()
  const latest = useQuery(areaInfo(area.id))
  const handOver = useCommand({ run: command.post(`${AREA_PATH}/agent`), stale, done: '服务区已移交' })
  const fault = latest.data ? handOverFault(latest.data) : null
  return (
    <Modal
      open
      title={`移交服务区「${area.name}」`}
      okText="移交"
      cancelText="取消"
      okButtonProps={{ danger: true, disabled: fault !== null || !latest.data, loading: handOver.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
      destroyOnHidden
    >
      <p>
        移交后 <strong>{area.company ?? '原代理'}</strong> 的人员立即看不到这个服务区，改由新代理开通、暂停和关停。
      </p>
      {fault && <Alert className="notice" type="warning" showIcon title={fault} />}
      <Form
        form={form}
        layout="vertical"
        onFinish={({ agentId }) => {
          const version = latest.data?.version ?? area.version
          handOver.mutateAsync({ id: area.id, agentId, version }).then(onClose, () => undefined)
        }}
      >
        <AgentItem label="新的运营代理" placeholder="选择代理" none="没有其他启用的代理" except={area.agentId} disabled={fault !== null} />
      </Form>
    </Modal>
  )
}
