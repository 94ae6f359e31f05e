import { Form, Input, Modal, Radio } from 'antd'
import { FAILED, NORMAL, openingLevels, type PaymentAccount, REASON_MAX, type StatusChange } from './paymentAccount'

interface Fields {
  status: number
  accountLevel?: number
  reason?: string
}

/** What the server is told of the provider's answer. */
export function resultOf({ status, accountLevel, reason }: Fields, { id, version }: Pick<PaymentAccount, 'id' | 'version'>): StatusChange {
  const told = { accountId: id, version, status }
  return status === NORMAL ? { ...told, accountLevel } : { ...told, reason: reason?.trim() }
}

interface ResultDialogProps {
  account: PaymentAccount
  saving: boolean
  onConfirm(result: StatusChange): Promise<unknown>
  onClose(): void
}

/** Writes down what the payment provider answered to an application. */
export function ResultDialog({ account, saving, onConfirm, onClose }: ResultDialogProps) {
  const [form] = Form.useForm<Fields>()
  const passed = (Form.useWatch('status', form) ?? NORMAL) === NORMAL
  return (
    <Modal
      open
      title={`登记「${account.customerName}」的开户结果`}
      okText="登记结果"
      okButtonProps={{ loading: saving }}
      cancelText="取消"
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p>按支付渠道的答复登记；通过后该代理可以绑定银行卡，产品服务随级别开放。</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        initialValues={{ status: NORMAL, accountLevel: openingLevels[0].value }}
        onFinish={(fields) => void onConfirm(resultOf(fields, account)).then(onClose, () => undefined)}
      >
        <Form.Item name="status" label="结果" required>
          <Radio.Group
            optionType="button"
            options={[
              { value: NORMAL, label: '通过' },
              { value: FAILED, label: '不通过' },
            ]}
          />
        </Form.Item>
        {passed ? (
          <Form.Item name="accountLevel" label="账户级别" rules={[{ required: true, message: '请选择账户级别' }]}>
            <Radio.Group
              className="pay-levels"
              options={openingLevels.map(({ value, label, help }) => ({
                value,
                label: (
                  <>
                    {label} <span className="weak">{help}</span>
                  </>
                ),
              }))}
            />
          </Form.Item>
        ) : (
          <Form.Item
            name="reason"
            label="不通过的原因"
            extra="申请人会看到，并按它修改后重新提交"
            rules={[{ required: true, whitespace: true, message: '请输入不通过的原因' }]}
          >
            <Input.TextArea placeholder="如：身份证号与姓名不一致" maxLength={REASON_MAX} showCount autoSize={{ minRows: 2, maxRows: 4 }} />
          </Form.Item>
        )}
      </Form>
    </Modal>
  )
}
