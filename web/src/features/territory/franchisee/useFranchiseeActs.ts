import { command } from '@/api/client'
import type { RowAction } from '@/kit/list/ListPage'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { COOPERATING, formatRatio, type Franchisee, FRANCHISEE_PATH, NEGOTIATING, REMARK_MAX, stale, TERMINATED } from './franchisee'

const reason = { label: '解约原因', placeholder: '解约原因（必填）', max: REMARK_MAX }

/** What signing means, in words. */
export function signConsequence(franchisee: Franchisee): string {
  const where = franchisee.serviceAreas.map(({ name }) => name).join('、') || '（未选服务区）'
  return `签约后立即按 ${formatRatio(franchisee.divideRatioBp)} 分成，合同到 ${franchisee.contractEnd ?? '（未填）'} 为止，服务区：${where}。签约后不能删除，只能解约。`
}

/** What may be done with a franchisee, the next step first; each after a question. */
export function useFranchiseeActs(): (franchisee: Franchisee) => RowAction[] {
  const setState = useAskedCommand({ run: command.post(`${FRANCHISEE_PATH}/state`), stale, done: '加盟商状态已更新' })
  const remove = useAskedCommand({ run: command.delete(FRANCHISEE_PATH), stale, done: '加盟商已删除' })
  return (franchisee) => {
    const { id, company: name, state } = franchisee
    const sign = () => setState({ id, state: COOPERATING }, { act: '签约加盟商', name, consequence: signConsequence(franchisee) })
    const end = () =>
      setState((given) => ({ id, state: TERMINATED, reason: given }), {
        act: '解约加盟商',
        name,
        consequence: '解约后不再分成，资料保留但不能再修改，也不能恢复。',
        reason,
      })
    const consequence = '洽谈记录删除后无法恢复；操作日志中仍可查到它的历史。'
    if (state !== NEGOTIATING) {
      return [{ key: 'end', label: '解约', danger: true, unavailable: state === TERMINATED ? '已经解约' : undefined, onRun: end }]
    }
    return [
      { key: 'sign', label: '签约', onRun: sign },
      { key: 'delete', label: '删除', danger: true, onRun: () => remove({ id }, { act: '删除加盟商', name, consequence }) },
    ]
  }
}
