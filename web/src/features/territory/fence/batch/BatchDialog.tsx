import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Alert, App, Form, Modal, Skeleton } from 'antd'
import { useRef } from 'react'
import { uuid } from '@/api/bytes'
import { api, failureText } from '@/api/client'
import { TOO_MANY } from '@/kit/jobs/jobs'
import { startJob } from '@/kit/jobs/store'
import { type Fate, namesOf } from '@/kit/list/batch'
import { Outcomes } from '@/kit/list/useBatch'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { AT_ONCE, type TermFields, TermItems, termOf } from '@/kit/versions/TermItems'
import type { Fence } from '../fence'
import { bodyOf, changedRows, staleByBatch, timeText } from './batches'
import { type ChangeFields, changeOf, changeWords, COUNTER, isNothing, NOTHING } from './change'
import { ChangeItems } from './ChangeItems'
import { PreviewRows } from './PreviewRows'
import './batch.css'

type Fields = ChangeFields & TermFields
const REASON = { label: '原因', placeholder: '例如：国庆期间扩容', max: 100 }

interface BatchDialogProps {
  fences: readonly Fence[]
  /** When it is on its way. */
  onDone?: (() => void) | undefined
  onClose(): void
}

/** Changes many parking places at once: what, when, looked at by the server, and done as one. */
export function BatchDialog({ fences, onDone, onClose }: BatchDialogProps) {
  const { message } = App.useApp()
  const client = useQueryClient()
  const confirm = useDangerousConfirm()
  const [form] = Form.useForm<Fields>()
  const stop = useRef<AbortController | null>(null)
  const preview = useMutation({
    mutationFn: async (fields: Fields) => {
      stop.current = new AbortController()
      const asked = bodyOf(fences, changeOf(fields), termOf(fields))
      return { asked, answer: await api.post('/fence/batch/preview', asked, { quiet: true, signal: stop.current.signal }) }
    },
  })
  const forget = () => {
    stop.current?.abort()
    preview.reset()
  }
  const look = (fields: Fields) => {
    if (isNothing(changeOf(fields))) void message.info('请选择要修改的内容')
    else preview.mutate(fields)
  }
  const sound = preview.data ? changedRows(preview.data.answer.rows) : []

  const apply = () => {
    if (!preview.data) return
    const { asked, answer } = preview.data
    const { change, from = null, until = null } = asked
    const left = answer.rows.length - sound.length
    confirm({
      act: '批量修改',
      name: namesOf(sound.map(({ name }) => name), COUNTER),
      consequence: `${sound.length} ${COUNTER}：${changeWords(change).join('，')}。${timeText({ from, until })}。${left > 0 ? `其余 ${left} 个不变。` : ''}30 天内可以整体撤销。`,
      reason: REASON,
      onConfirm: async (reason) => {
        // Sent again after no answer came it is the same change.
        const idempotencyKey = uuid()
        const body = { ...bodyOf(sound, change, { from, until }), reason }
        const begun = startJob({
          title: `批量修改 ${sound.length} ${COUNTER}`,
          otherwise: '批量修改失败',
          run: async ({ report }) => {
            report(0, sound.length, '个')
            const { changed, refused } = await api.post('/fence/batch', body, { idempotencyKey, quiet: true })
            report(sound.length, sound.length, '个')
            await Promise.all(staleByBatch.map((queryKey) => client.invalidateQueries({ queryKey })))
            const text = `已修改 ${changed} ${COUNTER}${refused.length > 0 ? `，${refused.length} 个未修改` : ''}`
            if (refused.length === 0) return { kind: 'success', text }
            const fates: Fate[] = refused.map((row) => ({ kind: 'refused', why: row.refused ?? '' }))
            return { kind: 'warning', text, details: <Outcomes names={refused.map(({ id, name }) => name || id)} fates={fates} verb="修改" /> }
          },
        })
        if (!begun) return void message.warning(TOO_MANY)
        onDone?.()
        onClose()
      },
    })
  }
  const ready = preview.data !== undefined
  return (
    <Modal
      open
      width={820}
      title={`批量修改 ${fences.length} ${COUNTER}`}
      cancelText="取消"
      okText={ready ? `修改 ${sound.length} 个` : '预览'}
      okButtonProps={{ loading: preview.isPending, disabled: ready && sound.length === 0 }}
      onOk={() => (ready ? apply() : form.submit())}
      onCancel={() => {
        forget()
        onClose()
      }}
      destroyOnHidden
    >
      <p className="weak">只改选择的内容，没选的各站保持原样。先预览，再修改。</p>
      <Form<Fields> form={form} layout="vertical" requiredMark={false} initialValues={{ ...NOTHING, ...AT_ONCE }} onValuesChange={forget} onFinish={look}>
        <ChangeItems />
        <TermItems endLabel="到何时为止" endless="一直有效" ending="到时各站自动恢复原样；留空则一直有效" />
      </Form>
      {preview.isPending && <Skeleton active />}
      {preview.isError && <Alert type="error" showIcon title={failureText(preview.error, '预览失败')} />}
      {preview.data && <PreviewRows preview={preview.data.answer} />}
    </Modal>
  )
}
