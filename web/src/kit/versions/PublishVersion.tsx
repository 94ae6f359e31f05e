import { Form, Modal } from 'antd'
import type { ReactNode } from 'react'
import { AT_ONCE, type TermFields, TermItems, termOf } from './TermItems'
import type { Term } from './versions'

interface PublishVersionProps {
  /** `发布停车区「东门」`. */
  title: string
  /** What follows, in words. */
  children: ReactNode
  /** What it would change of what has been, where that is known. */
  simulation?: ReactNode
  /** What happens at the end of a temporary version. */
  ending: string
  publishing: boolean
  onPublish(term: Term): void
  onClose(): void
}

/** Asks from when a draft is to count, and whether it ends by itself. */
export function PublishVersion({ title, children, simulation, ending, publishing, onPublish, onClose }: PublishVersionProps) {
  const [form] = Form.useForm<TermFields>()
  return (
    <Modal open title={title} okText="发布" cancelText="取消" okButtonProps={{ loading: publishing }} onOk={() => form.submit()} onCancel={onClose} destroyOnHidden>
      <p>{children}</p>
      {simulation}
      <Form<TermFields> form={form} layout="vertical" initialValues={AT_ONCE} onFinish={(fields) => onPublish(termOf(fields))}>
        <TermItems ending={ending} />
      </Form>
    </Modal>
  )
}
