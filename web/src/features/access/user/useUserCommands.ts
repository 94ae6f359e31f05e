import { useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { failureText } from '@/api/client'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { changeUser, createUser, DELETED_AT_ONCE, deleteUser, deleteUsers, maskPhone, setUserState, type User, USER_PATH } from './user'

const stale = [[USER_PATH]] as const

export const useCreateUser = () => useCommand({ run: createUser, stale, done: '人员已新增' })
export const useChangeUser = () => useCommand({ run: changeUser, stale, done: '人员已保存' })

/** What follows from switching an account. */
export function stateConsequence(enable: boolean): string {
  return enable
    ? '启用后可以用手机号和验证码登录，权限和数据范围按现有角色恢复。'
    : '停用后立即生效：已登录的会话马上结束，实时连接断开，正在看的页面最迟在下一步操作时退回登录页；之后不能登录，直到重新启用。'
}

/** What follows from closing accounts. */
export const DELETION = '账号删除后无法恢复：会话和实时连接马上结束，角色一并收回；手机号可以重新开通新账号，操作日志中仍可查到历史。'

/** A name with enough of the phone to tell two of the same name apart. */
export function called(user: User): string {
  return `${user.name} ${maskPhone(user.phone)}`
}

const SHOWN = 8

function calledAll(users: readonly User[]): string {
  const shown = users.slice(0, SHOWN).map((user) => user.name)
  return users.length > SHOWN ? `${shown.join('、')} 等 ${users.length} 人` : shown.join('、')
}

/** Enabling, disabling and deleting one person, each after a question. */
export function useUserActs() {
  const ask = useDangerousConfirm()
  const state = useCommand({ run: setUserState, stale, done: '人员状态已更新' })
  const removal = useCommand({ run: deleteUser, stale, done: '人员已删除' })
  return {
    switchState(user: User) {
      const enable = user.state === 0
      ask({
        act: enable ? '启用人员' : '停用人员',
        name: called(user),
        consequence: stateConsequence(enable),
        onConfirm: () => state.mutateAsync({ phone: user.phone, state: enable ? 1 : 0 }),
      })
    },
    remove(user: User) {
      ask({ act: '删除人员', name: called(user), consequence: DELETION, onConfirm: () => removal.mutateAsync(user.phone) })
    },
  }
}

/** The same for several people: what was refused is told person by person and does not stop the others. */
export function useUserBatch() {
  const ask = useDangerousConfirm()
  const client = useQueryClient()
  const { message, modal } = App.useApp()
  const removal = useCommand({ run: deleteUsers, stale, done: '人员已删除' })
  return {
    switchState(users: User[], enable: boolean, done: () => void) {
      const concerned = users.filter((user) => user.state !== (enable ? 1 : 0))
      if (concerned.length === 0) return void message.info(`所选人员都已${enable ? '启用' : '停用'}`)
      ask({
        act: enable ? '批量启用' : '批量停用',
        name: calledAll(concerned),
        consequence: `共 ${concerned.length} 人。${stateConsequence(enable)}`,
        onConfirm: async () => {
          const refused: string[] = []
          for (const user of concerned) {
            // oxlint-disable-next-line no-await-in-loop -- each is a command of its own
            await setUserState({ phone: user.phone, state: enable ? 1 : 0 }, { quiet: true }).catch((error: unknown) => {
              refused.push(`${called(user)}：${failureText(error)}`)
            })
          }
          await client.invalidateQueries({ queryKey: [USER_PATH] })
          done()
          const count = concerned.length - refused.length
          if (refused.length === 0) return void message.success(`已${enable ? '启用' : '停用'} ${count} 人`)
          modal.warning({
            title: `已${enable ? '启用' : '停用'} ${count} 人，${refused.length} 人未能处理`,
            content: refused.join('\n'),
            className: 'refused-list',
            okText: '知道了',
          })
        },
      })
    },
    remove(users: User[], done: () => void) {
      if (users.length > DELETED_AT_ONCE) return void message.warning(`一次最多删除 ${DELETED_AT_ONCE} 人，请减少选择`)
      ask({
        act: '批量删除',
        name: calledAll(users),
        consequence: `共 ${users.length} 人。${DELETION}遇到不能删除的人会停下，并说明是谁、为什么。`,
        onConfirm: async () => {
          try {
            await removal.mutateAsync(users.map((user) => user.phone))
          } finally {
            // Those before the refused one are gone.
            await client.invalidateQueries({ queryKey: [USER_PATH] })
            done()
          }
        },
      })
    },
  }
}
