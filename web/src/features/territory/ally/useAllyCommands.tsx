import { App, Input } from 'antd'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { type Ally, ALLY_PATH, changeAlly, createAlly, deleteAlly, formatRatio, REMARK_MAX, setAllyState, unmaskAlly } from './ally'

const stale = [[ALLY_PATH]] as const

export const useCreateAlly = () => useCommand({ run: createAlly, stale, done: '加盟商已登记' })
export const useChangeAlly = () => useCommand({ run: changeAlly, stale, done: '加盟商资料已保存' })
export const useUnmaskAlly = () => useCommand({ run: unmaskAlly, stale: [] })

/** What signing means, in words. */
export function signConsequence(ally: Ally): string {
  const where = ally.serviceAreas.map(({ name }) => name).join('、') || '（未选服务区）'
  return `签约后立即按 ${formatRatio(ally.divideRatioBp)} 分成，合同到 ${ally.contractEnd ?? '（未填）'} 为止，服务区：${where}。签约后不能删除，只能解约。`
}

/** Signing, ending and deleting, each after a question. */
export function useAllyActs() {
  const ask = useDangerousConfirm()
  const { modal } = App.useApp()
  const state = useCommand({ run: setAllyState, stale, done: '加盟商状态已更新' })
  const removal = useCommand({ run: deleteAlly, stale, done: '加盟商已删除' })
  return {
    sign(ally: Ally) {
      ask({
        act: '签约加盟商',
        name: ally.company,
        consequence: signConsequence(ally),
        onConfirm: () => state.mutateAsync({ id: ally.id, state: 1 }),
      })
    },
    end(ally: Ally) {
      let reason = ''
      const ready = () => ({ danger: true, disabled: reason.trim() === '' })
      const dialog = modal.confirm({
        title: `解约加盟商「${ally.company}」？`,
        content: (
          <>
            <p>解约后不再分成，资料保留但不能再修改，也不能恢复。</p>
            <Input.TextArea
              aria-label="解约原因"
              placeholder="解约原因（必填）"
              maxLength={REMARK_MAX}
              showCount
              autoSize={{ minRows: 2, maxRows: 4 }}
              onChange={(event) => {
                reason = event.target.value
                dialog.update((shown) => ({ ...shown, okButtonProps: ready() }))
              }}
            />
          </>
        ),
        okText: '解约加盟商',
        okButtonProps: ready(),
        cancelText: '取消',
        // A refused act has been said by the command; the question then closes all the same.
        onOk: () => state.mutateAsync({ id: ally.id, state: 3, reason: reason.trim() }).catch(() => undefined),
      })
    },
    remove(ally: Ally) {
      ask({
        act: '删除加盟商',
        name: ally.company,
        consequence: '洽谈记录删除后无法恢复；操作日志中仍可查到它的历史。',
        onConfirm: () => removal.mutateAsync({ id: ally.id }),
      })
    },
  }
}
