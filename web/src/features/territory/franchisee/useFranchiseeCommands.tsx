import { App, Input } from 'antd'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { changeFranchisee, createFranchisee, deleteFranchisee, fieldOf, formatRatio, type Franchisee, FRANCHISEE_PATH, REMARK_MAX, setFranchiseeState, unmaskFranchisee } from './franchisee'

const stale = [[FRANCHISEE_PATH]] as const

export const useCreateFranchisee = () => useCommand({ run: createFranchisee, stale, done: '加盟商已登记', fieldOf })
export const useChangeFranchisee = () => useCommand({ run: changeFranchisee, stale, done: '加盟商资料已保存', fieldOf })
export const useUnmaskFranchisee = () => useCommand({ run: unmaskFranchisee, stale: [] })

/** What signing means, in words. */
export function signConsequence(franchisee: Franchisee): string {
  const where = franchisee.serviceAreas.map(({ name }) => name).join('、') || '（未选服务区）'
  return `签约后立即按 ${formatRatio(franchisee.divideRatioBp)} 分成，合同到 ${franchisee.contractEnd ?? '（未填）'} 为止，服务区：${where}。签约后不能删除，只能解约。`
}

/** Signing, ending and deleting, each after a question. */
export function useFranchiseeActs() {
  const ask = useDangerousConfirm()
  const { modal } = App.useApp()
  const state = useCommand({ run: setFranchiseeState, stale, done: '加盟商状态已更新' })
  const removal = useCommand({ run: deleteFranchisee, stale, done: '加盟商已删除' })
  return {
    sign(franchisee: Franchisee) {
      ask({
        act: '签约加盟商',
        name: franchisee.company,
        consequence: signConsequence(franchisee),
        onConfirm: () => state.mutateAsync({ id: franchisee.id, state: 1 }),
      })
    },
    end(franchisee: Franchisee) {
      let reason = ''
      const ready = () => ({ danger: true, disabled: reason.trim() === '' })
      const dialog = modal.confirm({
        title: `解约加盟商「${franchisee.company}」？`,
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
        onOk: () => state.mutateAsync({ id: franchisee.id, state: 3, reason: reason.trim() }).catch(() => undefined),
      })
    },
    remove(franchisee: Franchisee) {
      ask({
        act: '删除加盟商',
        name: franchisee.company,
        consequence: '洽谈记录删除后无法恢复；操作日志中仍可查到它的历史。',
        onConfirm: () => removal.mutateAsync({ id: franchisee.id }),
      })
    },
  }
}
