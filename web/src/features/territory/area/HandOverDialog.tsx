import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Modal, Select } from 'antd'
import '@/kit/notice.css'
import { agentChoices } from '@/kit/agentChoices'
import { type Area, areaInfo, handOverFault } from './area'
import { useHandOver } from './useAreaCommands'

/** Asks to whom an area goes, and says what that means. */
export function HandOverDialog({ area, onClose }: { area: Area; onClose: () => void }) {
  const [form] = Form.useForm<{ agentId: string }>()
  const agents = useQuery(agentChoices)
  const latest = useQuery(areaInfo(area.id))
  const handOver = useHandOver()
  const fault = latest.data ? handOverFault(latest.data) : null
  const options = (agents.data?.rows ?? [])
    .filter((row) => row.agentId !== area.agentId)
    .map((row) => ({ value: row.agentId, label: row.company }))
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
        <Form.Item name="agentId" label="新的运营代理" rules={[{ required: true, message: '请选择新的运营代理' }]}>
          <Select
            disabled={fault !== null}
            showSearch={{ optionFilterProp: 'label' }}
            loading={agents.isLoading}
            placeholder="选择代理"
            options={options}
            notFoundContent={agents.isError ? '代理列表加载失败，请关闭后重试' : '没有其他启用的代理'}
          />
        </Form.Item>
      </Form>
    </Modal>
  )
}
