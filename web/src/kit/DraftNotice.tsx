import { Alert, Button } from 'antd'
import './notice.css'
import type { FormDraft } from './useDraft'

interface DraftNoticeProps {
  draft: Pick<FormDraft<object>, 'restored' | 'discard'>
  /** What the draft does not hold: `电话需重新填写`. */
  missing?: string
  /** Puts the form back to what it was opened with. */
  onDiscard(): void
}

/** Says that the form holds what an earlier visit left unsaved, and how to be rid of it; nothing without a draft. */
export function DraftNotice({ draft, missing, onDiscard }: DraftNoticeProps) {
  if (!draft.restored) return null
  const discard = () => {
    draft.discard()
    onDiscard()
  }
  return (
    <Alert
      className="notice"
      type="info"
      showIcon
      title={`已恢复上次未保存的内容${missing ? `（${missing}）` : ''}`}
      action={
        <Button size="small" onClick={discard}>
          放弃草稿
        </Button>
      }
    />
  )
}
