import { type Command, useCommand } from './useCommand'
import { type Danger, useDangerousConfirm } from './useDangerousConfirm'

/** A command that is sent after a question only; what it is sent may be made of the reason that was given. */
export function useAskedCommand<Input extends object, Output>(command: Command<Input, Output>) {
  const ask = useDangerousConfirm()
  const { mutateAsync } = useCommand(command)
  return (input: Input | ((reason: string) => Input), danger: Danger) =>
    ask({ ...danger, onConfirm: (reason) => mutateAsync(typeof input === 'function' ? input(reason) : input) })
}
