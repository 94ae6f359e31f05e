/** A parking place where one must not stop, or the other way round, is asked about before it counts. */
import { App } from 'antd'
import { type CallOptions, Refusal } from '@/api/client'

const OVERLAP = 'fence-overlap'

/** For the command: such a refusal was said by the question. */
export const asked = { [OVERLAP]: OVERLAP }

/** Runs a call by which a fence begins to count; when it overlaps another, asks, and runs it again once that is confirmed. */
export function useOverlapAsked<Input extends object, Output>(run: (input: Input & { confirmOverlap?: boolean }, options: CallOptions) => Promise<Output>) {
  const { modal } = App.useApp()
  return async (input: Input, options: CallOptions): Promise<Output> => {
    try {
      return await run(input, options)
    } catch (error) {
      if (!(error instanceof Refusal && error.code === OVERLAP)) throw error
      const confirmed = await modal.confirm({
        title: '围栏重叠',
        content: `${error.text}。重叠处以禁停、禁行为准，停在那里会被收取违停费用。`,
        okText: '仍然生效',
        cancelText: '返回修改',
        focusable: { autoFocusButton: 'cancel' },
      })
      if (!confirmed) throw error
      return run({ ...input, confirmOverlap: true }, options)
    }
  }
}
