import { useBatch } from '@/kit/list/useBatch'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { changeOperator, createOperator, DELETED_AT_ONCE, deleteOperator, deleteOperators, fieldOf, maskPhone, type Operator, OPERATOR_PATH, setOperatorState, setOperatorStates } from './operator'

const stale = [[OPERATOR_PATH]] as const

export const useCreateOperator = () => useCommand({ run: createOperator, stale, done: '人员已新增', fieldOf })
export const useChangeOperator = () => useCommand({ run: changeOperator, stale, done: '人员已保存', fieldOf })

/** What follows from switching an account. */
export function stateConsequence(enable: boolean): string {
  return enable
    ? '启用后可以用手机号和验证码登录，权限和数据范围按现有角色恢复。'
    : '停用后立即生效：已登录的会话马上结束，实时连接断开，正在看的页面最迟在下一步操作时退回登录页；之后不能登录，直到重新启用。'
}

/** What follows from closing accounts. */
export const DELETION = '账号删除后无法恢复：会话和实时连接马上结束，角色一并收回；手机号可以重新开通新账号，操作日志中仍可查到历史。'

/** A name with enough of the phone to tell two of the same name apart. */
export function called(operator: Operator): string {
  return `${operator.name} ${maskPhone(operator.phone)}`
}

/** Enabling, disabling and deleting one person, each after a question. */
export function useOperatorActs() {
  const ask = useDangerousConfirm()
  const state = useCommand({ run: setOperatorState, stale, done: '人员状态已更新' })
  const removal = useCommand({ run: deleteOperator, stale, done: '人员已删除' })
  return {
    switchState(operator: Operator) {
      const enable = operator.state === 0
      ask({
        act: enable ? '启用人员' : '停用人员',
        name: called(operator),
        consequence: stateConsequence(enable),
        onConfirm: () => state.mutateAsync({ phone: operator.phone, state: enable ? 1 : 0 }),
      })
    },
    remove(operator: Operator) {
      ask({ act: '删除人员', name: called(operator), consequence: DELETION, onConfirm: () => removal.mutateAsync(operator.phone) })
    },
  }
}

/** The same for several people, each judged alone. */
export function useOperatorBatch() {
  const run = useBatch<Operator>({ keyOf: (operator) => operator.phone, called, short: ({ name }) => name, counter: '人', stale })
  return {
    switchState(operators: readonly Operator[], enable: boolean, done: () => void) {
      const [verb, state] = enable ? (['启用', 1] as const) : (['停用', 0] as const)
      run(
        {
          act: `批量${verb}`,
          verb,
          rows: operators.filter((operator) => operator.state !== state),
          none: `所选人员都已${verb}`,
          consequence: stateConsequence(enable),
          run: (phones, options) => setOperatorStates(phones, state, options),
        },
        done,
      )
    },
    remove(operators: readonly Operator[], done: () => void) {
      run(
        {
          act: '批量删除',
          verb: '删除',
          rows: operators,
          none: '没有选择人员',
          consequence: `${DELETION}不能删除的人会逐个说明原因，不影响其他人。`,
          atOnce: DELETED_AT_ONCE,
          run: deleteOperators,
        },
        done,
      )
    },
  }
}
