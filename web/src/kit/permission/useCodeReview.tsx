import { App, Form } from 'antd'
import type { ReactNode } from 'react'
import { CodeDiff } from './CodeDiff'
import { difference } from './codes'
import { grantableTree, type TreeSource } from './tree'

interface Question {
  title: string
  /** Whom it concerns, in words. */
  effect: string
}

interface CodeReview {
  /** What changes, as a line of the form; nothing while nothing does. */
  line: ReactNode
  /** Saves; asks first when permissions change. */
  save(run: () => Promise<unknown>, question: Question): void
}

/** Shows how `codes` differ from those `before`, and has it confirmed; a new record, which has none before, is not asked about. */
export function useCodeReview(before: readonly string[] | undefined, codes: readonly string[], source: TreeSource = grantableTree): CodeReview {
  const { modal } = App.useApp()
  const change = difference(before ?? codes, codes)
  const changed = change.added.length + change.removed.length > 0
  const diff = <CodeDiff change={change} source={source} />
  return {
    line: changed && (
      <Form.Item label="本次变更" required>
        {diff}
      </Form.Item>
    ),
    save: (run, { title, effect }) => {
      if (!changed) return void run()
      modal.confirm({
        title,
        width: 520,
        content: (
          <>
            <p>{effect}</p>
            {diff}
          </>
        ),
        okText: '保存变更',
        cancelText: '返回修改',
        onOk: run,
      })
    },
  }
}
