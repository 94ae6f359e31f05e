import { useBatch } from '@/kit/list/useBatch'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { changeRole, createRole, deleteRole, fieldOf, type Role, ROLE_PATH, setRoleState, setRoleStates } from './role'

const stale = [[ROLE_PATH]] as const

export const useCreateRole = () => useCommand({ run: createRole, stale, done: '角色已新增', fieldOf })
export const useChangeRole = () => useCommand({ run: changeRole, stale, done: '角色已保存', fieldOf })

/** Whom a change of state concerns. */
export function stateConsequence(userCount: number, enable: boolean): string {
  if (userCount === 0) return enable ? '目前没有用户使用这个角色，启用后可以分配。' : '目前没有用户使用这个角色，停用后不能再分配。'
  return enable ? `${userCount} 位用户将立即获得这个角色的权限。` : `${userCount} 位用户将立即失去这个角色的权限。`
}

/** Sets the state of several roles, each judged alone. */
export function useRoleBatch() {
  const run = useBatch<Role>({ keyOf: (role) => role.id, called: (role) => role.name, counter: '个角色', stale })
  return (roles: readonly Role[], enable: boolean, done: () => void) => {
    const [verb, state] = enable ? (['启用', 1] as const) : (['停用', 0] as const)
    const concerned = roles.filter((role) => !role.system && role.state !== state)
    run(
      {
        act: `批量${verb}`,
        verb,
        rows: concerned,
        none: `所选角色已${verb}，或为系统内置`,
        consequence: stateConsequence(
          concerned.reduce((sum, role) => sum + role.userCount, 0),
          enable,
        ),
        run: (ids, options) => setRoleStates(ids, state, options),
      },
      done,
    )
  }
}

/** Enabling, disabling and deleting, each after a question. */
export function useRoleActs() {
  const ask = useDangerousConfirm()
  const state = useCommand({ run: setRoleState, stale, done: '角色状态已更新' })
  const removal = useCommand({ run: deleteRole, stale, done: '角色已删除' })
  return {
    switchState(role: Role) {
      const enable = role.state === 0
      ask({
        act: enable ? '启用角色' : '停用角色',
        name: role.name,
        consequence: stateConsequence(role.userCount, enable),
        onConfirm: () => state.mutateAsync({ id: role.id, state: enable ? 1 : 0 }),
      })
    },
    remove(role: Role) {
      ask({
        act: '删除角色',
        name: role.name,
        consequence: '删除后无法恢复；操作日志中仍可查到它的历史。',
        onConfirm: () => removal.mutateAsync({ id: role.id, version: role.version }),
      })
    },
  }
}
