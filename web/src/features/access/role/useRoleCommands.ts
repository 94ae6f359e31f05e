import { command } from '@/api/client'
import { useSwitch } from '@/kit/list/useSwitch'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Role, ROLE_PATH, stale } from './role'

const setState = command.post(`${ROLE_PATH}/state`)

/** Whom a change of state concerns. */
function consequence(roles: readonly Role[], enable: boolean): string {
  const people = roles.reduce((sum, { userCount }) => sum + userCount, 0)
  if (people === 0) return enable ? '目前没有用户使用这个角色，启用后可以分配。' : '目前没有用户使用这个角色，停用后不能再分配。'
  return enable ? `${people} 位用户将立即获得这个角色的权限。` : `${people} 位用户将立即失去这个角色的权限。`
}

export const useSwitchRole = () =>
  useSwitch<Role>({
    noun: '角色',
    counter: '个角色',
    done: '角色状态已更新',
    stale,
    keyOf: ({ id }) => id,
    called: ({ name }) => name,
    consequence,
    may: ({ system }) => !system,
    none: (verb) => `所选角色已${verb}，或为系统内置`,
    switchOne: (id, state, options) => setState({ id, state }, options),
    switchMany: (ids, state, options) => setState({ ids, state }, options),
  })

/** Deleting, after a question. */
export function useRemoveRole() {
  const remove = useAskedCommand({ run: command.delete(ROLE_PATH), stale, done: '角色已删除' })
  return ({ id, version, name }: Role) =>
    remove({ id, version }, { act: '删除角色', name, consequence: '删除后无法恢复；操作日志中仍可查到它的历史。' })
}
