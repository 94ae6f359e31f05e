import { App, Button, Checkbox, Empty, Input, Modal, Skeleton } from 'antd'
import { useEffect, useState } from 'react'
import { failureText } from '@/api/client'
import { frame } from '@/kit/theme'
import type { Option } from '../session/selection'

export interface SelectModalProps {
  open: boolean
  /** What can be chosen; asked for on each opening. */
  load(): Promise<Option[]>
  /** What an empty list says. */
  emptyText: string
  /** What is said when the list does not come and the server gives no reason. */
  failedText: string
  /** The stored choice; empty means all. */
  chosen: readonly string[]
  onConfirm(chosen: string[], all: string[]): Promise<void>
  onClose(): void
}

/** More boxes at once than these make a slow dialog that nobody reads to its end. */
const SHOWN_MAX = 200

/** Chooses several of many: agents, areas. */
export function SelectModal({ open, load, emptyText, failedText, chosen, onConfirm, onClose }: SelectModalProps) {
  const { message } = App.useApp()
  const [options, setOptions] = useState<Option[] | null>(null)
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [filter, setFilter] = useState('')
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState(false)

  const begin = () => {
    if (!open) return
    let current = true
    setOptions(null)
    setFailed(false)
    setFilter('')
    load().then(
      (loaded) => {
        if (!current) return
        const all = loaded.map((option) => option.id)
        setOptions(loaded)
        setMarked(new Set(chosen.length === 0 ? all : chosen.filter((id) => all.includes(id))))
        if (loaded.length === 0) void message.warning(emptyText)
      },
      (error: unknown) => {
        if (!current) return
        setOptions([])
        setFailed(true)
        void message.error(failureText(error, failedText))
      },
    )
    return () => {
      current = false
    }
  }
  // oxlint-disable-next-line react/exhaustive-deps -- an opening begins anew, nothing else does
  useEffect(begin, [open])

  const all = options?.map((option) => option.id) ?? []
  const everything = all.length > 0 && all.every((id) => marked.has(id))
  const found = options?.filter(({ id, title }) => title.includes(filter) || id.includes(filter)) ?? []
  const shown = found.slice(0, SHOWN_MAX)

  const mark = (id: string, on: boolean) => {
    const next = new Set(marked)
    if (on) next.add(id)
    else next.delete(id)
    setMarked(next)
  }
  const confirm = async () => {
    if (marked.size === 0) return void message.warning('请至少选择一项')
    setBusy(true)
    try {
      await onConfirm(all.filter((id) => marked.has(id)), all)
      onClose()
    } catch (error) {
      void message.error(failureText(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Modal
      title="选择"
      width={frame.selectModal}
      open={open}
      onCancel={onClose}
      destroyOnHidden
      footer={[
        <Button key="cancel" onClick={onClose}>
          取消
        </Button>,
        <Button key="all" disabled={all.length === 0} onClick={() => setMarked(new Set(everything ? [] : all))}>
          {everything ? '取消全选' : '全选'}
        </Button>,
        <Button key="confirm" type="primary" loading={busy} disabled={all.length === 0} onClick={() => void confirm()}>
          确定
        </Button>,
      ]}
    >
      {options === null && <Skeleton active paragraph={{ rows: 4 }} />}
      {options?.length === 0 && <Empty description={failed ? failedText : emptyText} />}
      {all.length > 0 && (
        <>
          <div className="select-head">
            <Input.Search
              allowClear
              placeholder="按名称或编号筛选"
              aria-label="筛选"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
            <span className="weak">
              已选 {marked.size} / {all.length}
            </span>
          </div>
          <div className="select-grid" role="group" aria-label="可选项">
            {shown.map(({ id, title }) => (
              <Checkbox key={id} checked={marked.has(id)} onChange={(event) => mark(id, event.target.checked)}>
                <span className="select-title">{title}</span>
                <span className="select-id">{id}</span>
              </Checkbox>
            ))}
          </div>
          {found.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有符合筛选条件的项" />}
          {found.length > shown.length && (
            <p className="weak">
              仅显示前 {SHOWN_MAX} 项，共 {found.length} 项；请用名称或编号筛选
            </p>
          )}
        </>
      )}
    </Modal>
  )
}
