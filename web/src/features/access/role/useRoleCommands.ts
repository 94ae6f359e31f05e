import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { changeRole, createRole, deleteRole, type Role, ROLE_PATH, setRoleState } from './role'

const stale = [[ROLE_PATH]] as const

export const useCreateRole = () => useCommand({ run: createRole, stale, done: '角色已新增' })
export const useChangeRole = () => useCommand({ run: changeRole, stale, done: '角色已保存' })

/** Whom a change of state concerns. */
export function stateConsequence(userCount: number, enable: boolean): string {
  if (userCount === 0) return enable ? '目前没有用户使用这个角色，启用后可以分配。' : '目前没有用户使用这个角色，停用后不能再分配。'
  return enable ? `${userCount} 位用户将立即获得这个角色的权限。` : `${userCount} 位用户将立即失去这个角色的权限。`
}

/** Sets the state of several roles, one after the other; a refused one is said and does not stop the others. */
export function useRoleBatch() {
  const ask = useDangerousConfirm()
  const state = useCommand({ run: setRoleState, stale })
  return (roles: Role[], enable: boolean, done: () => void) => {
    const concerned = roles.filter((role) => !role.system && role.state !== (enable ? 1 : 0))
    const users = concerned.reduce((sum, role) => sum + role.userCount, 0)
    ask({
      act: enable ? '批量启用' : '批量停用',
      name: concerned.map((role) => role.name).join('、') || '（所选角色已是此状态，或为系统内置）',
      consequence: stateConsequence(users, enable),
      onConfirm: async () => {
        for (const role of concerned) {
          // oxlint-disable-next-line no-await-in-loop -- each is a command of its own
          await state.mutateAsync({ id: role.id, state: enable ? 1 : 0 }).catch(() => undefined)
        }
        done()
      },
    })
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
