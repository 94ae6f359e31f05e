import { App, Input } from 'antd'
import { useCallback } from 'react'

export interface Danger {
  /** The act, as on its button: `停用角色`. */
  act: string
  /** Name of what it happens to. */
  name: string
  /** What follows, in words. */
  consequence: string
  /** A line or two that must be said with it; nothing is asked when absent. */
  reason?: { label: string; placeholder: string; max: number }
}

interface Asked extends Danger {
  /** `reason` is empty when none was asked for. */
  onConfirm(reason: string): Promise<unknown>
}

/** Asks before something dangerous, naming the object and the consequence. */
export function useDangerousConfirm(): (asked: Asked) => void {
  const { modal } = App.useApp()
  return useCallback(
    ({ act, name, consequence, reason: asked, onConfirm }) => {
      let reason = ''
      const ready = () => ({ danger: true, disabled: asked !== undefined && reason === '' })
      const dialog = modal.confirm({
        title: `${act}「${name}」？`,
        content: asked ? (
          <>
            <p>{consequence}</p>
            <Input.TextArea
              aria-label={asked.label}
              placeholder={asked.placeholder}
              maxLength={asked.max}
              showCount
              // The count stands below it.
              style={{ marginBottom: 24 }}
              autoSize={{ minRows: 2, maxRows: 4 }}
              onChange={({ target }) => {
                reason = target.value.trim()
                dialog.update((shown) => ({ ...shown, okButtonProps: ready() }))
              }}
            />
          </>
        ) : (
          consequence
        ),
        okText: act,
        okButtonProps: ready(),
        cancelText: '取消',
        focusable: { autoFocusButton: 'cancel' },
        // A refused act has been said by the command; the question then closes all the same.
        onOk: () => onConfirm(reason).catch(() => undefined),
      })
    },
    [modal],
  )
}
