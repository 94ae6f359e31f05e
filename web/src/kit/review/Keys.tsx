import { Modal } from 'antd'
import type { ReviewDecision } from './review'

interface KeysProps {
  decisions: readonly Pick<ReviewDecision, 'key' | 'label' | 'hotkey'>[]
  onClose(): void
}

/** The keys of the queue. */
export function Keys({ decisions, onClose }: KeysProps) {
  const keys: readonly (readonly [string, string])[] = [
    ['J / ↓', '下一条'],
    ['K / ↑', '上一条'],
    ...decisions.map(({ hotkey, label }) => [hotkey.toUpperCase(), label] as const),
    ['Esc', '关闭弹窗，手机上返回列表'],
    ['?', '显示快捷键'],
  ]
  return (
    <Modal open title="快捷键" footer={null} onCancel={onClose} width={360}>
      <dl className="review-keys">
        {keys.map(([key, act]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{act}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
