import { useQueryClient } from '@tanstack/react-query'
import { App, Button } from 'antd'
import { api, failureText } from '@/api/client'
import { stale } from './fence'
import type { Plan } from './plan'

type Merged = Plan['merged'][number]

/** Asks what becomes of the fences that one took in, one after the other: nothing is done to them unasked. */
export function useMergedAsked() {
  const { modal, message } = App.useApp()
  const client = useQueryClient()
  const send = async (label: string, name: string, run: () => Promise<unknown>) => {
    try {
      await run()
      void message.success(`「${name}」已${label}`)
    } catch (error) {
      void message.error(`「${name}」没有${label}：${failureText(error)}`)
    }
    await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
  }
  const ask = ({ id, name }: Merged, into: string) =>
    new Promise<void>((over) => {
      const dialog = modal.confirm({
        title: `「${name}」已并入「${into}」的草稿，停用或删除「${name}」？`,
        content: `停用或删除立即生效，而「${into}」的新边界要到发布后才生效：在那之前，「${name}」原来的范围不再算作围栏。可以先暂不处理，发布后再到列表中停用。`,
        footer: () => {
          const done = (work?: Promise<void>) => {
            dialog.destroy()
            void (work ?? Promise.resolve()).finally(over)
          }
          return (
            <>
              <Button autoFocus onClick={() => done()}>
                暂不处理
              </Button>
              <Button onClick={() => done(send('停用', name, () => api.post('/fence/state', { id, state: 0 }, { quiet: true })))}>停用</Button>
              <Button danger onClick={() => done(send('删除', name, () => api.delete('/fence/{id}', {}, { path: { id }, quiet: true })))}>
                删除
              </Button>
            </>
          )
        },
        onCancel: () => over(),
      })
    })
  return async (merged: readonly Merged[], into: string) => {
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    for (const one of merged) await ask(one, into)
  }
}
