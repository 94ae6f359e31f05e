import { api, command } from '@/api/client'
import { useBatch } from '@/kit/list/useBatch'
import { useSwitch } from '@/kit/list/useSwitch'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { maskPhone, type Operator, OPERATOR_PATH, stale } from './operator'

/** Accounts that one call may delete. */
const DELETED_AT_ONCE = 50

const setState = command.post(`${OPERATOR_PATH}/state`)

/** What follows from switching an account. */
export function stateConsequence(enable: boolean): string {
  return enable
    ? '启用后可以用手机号和验证码登录，权限和数据范围按现有角色恢复。'
    : '停用后立即生效：已登录的会话马上结束，实时连接断开，正在看的页面最迟在下一步操作时退回登录页；之后不能登录，直到重新启用。'
}

/** What follows from closing accounts. */
const DELETION = '账号删除后无法恢复：会话和实时连接马上结束，角色一并收回；手机号可以重新开通新账号，操作日志中仍可查到历史。'

/** A name with enough of the phone to tell two of the same name apart. */
export function called(operator: Operator): string {
  return `${operator.name} ${maskPhone(operator.phone)}`
}

/** Calls name a person by his phone. */
const people = { noun: '人员', counter: '人', stale, keyOf: ({ phone }: Operator) => phone, called, short: ({ name }: Operator) => name }

export const useSwitchOperator = () =>
  useSwitch<Operator>({
    ...people,
    done: '人员状态已更新',
    consequence: (_, enable) => stateConsequence(enable),
    switchOne: (phone, state, options) => setState({ phone, state }, options),
    switchMany: (phones, state, options) => setState({ phones, state }, options),
  })

/** Deleting one person, after a question. */
export function useRemoveOperator() {
  const remove = useAskedCommand({
    run: ({ phone }: Pick<Operator, 'phone'>, options) => api.delete(`${OPERATOR_PATH}/{phone}`, {}, { ...options, path: { phone } }),
    stale,
    done: '人员已删除',
  })
  return (operator: Operator) => remove({ phone: operator.phone }, { act: '删除人员', name: called(operator), consequence: DELETION })
}

/** The same for several people, each judged alone. */
export function useRemoveOperators() {
  const run = useBatch<Operator>(people)
  const remove = command.delete(OPERATOR_PATH)
  return (rows: readonly Operator[], done: () => void) =>
    run(
      {
        act: '批量删除',
        verb: '删除',
        rows,
        none: '没有选择人员',
        consequence: `${DELETION}不能删除的人会逐个说明原因，不影响其他人。`,
        atOnce: DELETED_AT_ONCE,
        run: (phones, options) => remove({ phones: phones.join(',') }, options),
      },
      done,
    )
}
