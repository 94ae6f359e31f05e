import { App } from 'antd'
import { useCallback } from 'react'

export interface Danger {
  /** The act, as on its button: `停用角色`. */
  act: string
  /** Name of what it happens to. */
  name: string
  /** What follows, in words. */
  consequence: string
  onConfirm(): Promise<unknown>
}

/** Asks before something dangerous, naming the object and the consequence. */
export function useDangerousConfirm(): (danger: Danger) => void {
  const { modal } = App.useApp()
  return useCallback(
    ({ act, name, consequence, onConfirm }) => {
      modal.confirm({
        title: `${act}「${name}」？`,
        content: consequence,
        okText: act,
        okButtonProps: { danger: true },
        cancelText: '取消',
        autoFocusButton: 'cancel',
        // A refused act has been said by the command; the question then closes all the same.
        onOk: () => onConfirm().catch(() => undefined),
      })
    },
    [modal],
  )
}
