import { Form, Input, Modal } from 'antd'
import { REASON_MAX } from './paymentAccount'

interface ReasonDialogProps {
  /** The act, as on its button: `冻结账户`. */
  act: string
  /** Name of what it happens to. */
  name: string
  /** What follows, in words. */
  consequence: string
  danger?: boolean
  saving: boolean
  onConfirm(reason: string): Promise<unknown>
  onClose(): void
}

/** Asks for the reason of an act, naming what it happens to and what follows. */
export function ReasonDialog({ act, name, consequence, danger, saving, onConfirm, onClose }: ReasonDialogProps) {
  const [form] = Form.useForm<{ reason: string }>()
  return (
    <Modal
      open
      title={`${act}「${name}」？`}
      okText={act}
      okButtonProps={{ danger: danger === true, loading: saving }}
      cancelText="取消"
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p>{consequence}</p>
      <Form
        form={form}
        layout="vertical"
        onFinish={({ reason }) => void onConfirm(reason.trim()).then(onClose, () => undefined)}
      >
        <Form.Item name="reason" label="原因" rules={[{ required: true, whitespace: true, message: '请输入原因' }]}>
          <Input.TextArea placeholder="会记入操作日志，对方也能看到" maxLength={REASON_MAX} showCount autoSize={{ minRows: 2, maxRows: 4 }} />
        </Form.Item>
      </Form>
    </Modal>
  )
}
