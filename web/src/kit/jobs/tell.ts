import type { App } from 'antd'
import type { Result } from './jobs'

export type Means = Pick<ReturnType<typeof App.useApp>, 'message' | 'modal'>

/** Shows what became of each. */
export function showDetails({ text, details }: Result, { modal }: Means): void {
  modal.warning({ title: text, width: 560, content: details, okText: '知道了' })
}

/** Says what came of it, in short or in full. */
export function tellResult(result: Result, means: Means): void {
  if (result.details) showDetails(result, means)
  else void means.message[result.kind](result.text)
}
