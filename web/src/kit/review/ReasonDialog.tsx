import { Button, Input, Modal } from 'antd'
import { useState } from 'react'
import { type AskedReason, withPhrase } from './review'

interface ReasonDialogProps {
  /** `驳回「张三」`. */
  title: string
  act: string
  asked: AskedReason
  sending: boolean
  onSend(reason: string): void
  onClose(): void
}

/** Asks why, with what is said often at hand. */
export function ReasonDialog({ title, act, asked: { label, max, phrases, consequence }, sending, onSend, onClose }: ReasonDialogProps) {
  const [text, setText] = useState('')
  const reason = text.trim()
  const send = () => {
    if (reason !== '' && !sending) onSend(reason)
  }
  return (
    <Modal
      open
      title={title}
      okText={act}
      cancelText="取消"
      okButtonProps={{ danger: true, disabled: reason === '', loading: sending }}
      onOk={send}
      onCancel={onClose}
    >
      {consequence && <p>{consequence}</p>}
      <div className="review-phrases" role="group" aria-label="常用原因">
        {phrases.map((phrase) => (
          <Button
            key={phrase}
            size="small"
            aria-pressed={text.includes(phrase)}
            type={text.includes(phrase) ? 'primary' : 'default'}
            ghost={text.includes(phrase)}
            onClick={() => setText(withPhrase(text, phrase, max))}
          >
            {phrase}
          </Button>
        ))}
      </div>
      <Input.TextArea
        autoFocus
        aria-label={label}
        placeholder={`${label}（必填，Ctrl + Enter 提交）`}
        value={text}
        maxLength={max}
        showCount
        style={{ marginBottom: 24 }}
        autoSize={{ minRows: 2, maxRows: 5 }}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
        }}
      />
    </Modal>
  )
}
