import { Form, Input, Modal } from 'antd'
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
  /** What happens at the end of a temporary version; absent: there are none. */
  ending?: string
  /** Characters of a note on it at most; absent: none is asked for. */
  noteMax?: number
  publishing: boolean
  onPublish(term: Term, note: string): void
  onClose(): void
}

interface Fields extends TermFields {
  note?: string
}

/** Asks from when a draft is to count, and whether it ends by itself. */
export function PublishVersion({ title, children, simulation, ending, noteMax, publishing, onPublish, onClose }: PublishVersionProps) {
  const [form] = Form.useForm<Fields>()
  return (
    <Modal open title={title} okText="发布" cancelText="取消" okButtonProps={{ loading: publishing }} onOk={() => form.submit()} onCancel={onClose} destroyOnHidden>
      <p>{children}</p>
      {simulation}
      <Form<Fields> form={form} layout="vertical" initialValues={AT_ONCE} onFinish={({ note = '', ...term }) => onPublish(termOf(term), note.trim())}>
        <TermItems ending={ending} />
        {noteMax !== undefined && (
          <Form.Item name="note" label="发布说明" extra="为什么改，以后在版本里看得到">
            <Input.TextArea autoSize={{ minRows: 1, maxRows: 3 }} maxLength={noteMax} showCount />
          </Form.Item>
        )}
      </Form>
    </Modal>
  )
}
