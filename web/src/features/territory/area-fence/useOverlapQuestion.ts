import { App } from 'antd'
import { Refusal } from '@/api/client'

/** The code of the refusal that is a question: the edge overlaps other areas. */
export const OVERLAPS = 'area-overlaps'

/** Saves; when the edge overlaps other areas it asks, naming them, and saves once more if that is meant. */
export function useOverlapQuestion() {
  const { modal } = App.useApp()
  return async (save: (mayOverlap: boolean) => Promise<unknown>): Promise<void> => {
    try {
      await save(false)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== OVERLAPS) throw error
      const meant = await modal.confirm({
        title: '边界与其他服务区重叠',
        content: error.text,
        okText: '仍然保存',
        cancelText: '返回修改',
        focusable: { autoFocusButton: 'cancel' },
      })
      if (!meant) throw error
      await save(true)
    }
  }
}
