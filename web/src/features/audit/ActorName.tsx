import type { Step } from './log'

const kinds: Readonly<Record<number, string>> = { 2: '机器客户端', 3: '系统规则' }

/** Who took a step: somebody with his masked phone, a machine, or a rule of the system. */
export function ActorName({ actor: { kind, id, name, phone } }: Pick<Step, 'actor'>) {
  return <>{[kinds[kind], name || id || '--', phone].filter(Boolean).join(' ')}</>
}
