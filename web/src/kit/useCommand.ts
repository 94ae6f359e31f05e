import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { useRef } from 'react'
import { uuid } from '@/api/bytes'
import { type CallOptions, failureText, HttpError } from '@/api/client'
import { type FieldOf, isAtField } from './fieldErrors'

export interface Command<Input, Output> {
  run(input: Input, options: CallOptions): Promise<Output>
  /** Query keys that are stale afterwards. */
  stale: readonly (readonly unknown[])[]
  /** What is said when it is done, or of what was answered; nothing when absent. */
  done?: string | ((output: Output) => string)
  /** Refusals that the form says at its fields. */
  fieldOf?: FieldOf
}

/**
 * A command to the server. Sent again after no answer came, the same input keeps its idempotency key, so that it
 * happens once. Failures are shown; those that the client or the form says are not said twice.
 */
export function useCommand<Input, Output>({ run, stale, done, fieldOf = {} }: Command<Input, Output>) {
  const client = useQueryClient()
  const { message } = App.useApp()
  const open = useRef<{ input: string; key: string } | null>(null)
  return useMutation({
    mutationFn: (input: Input) => {
      const written = JSON.stringify(input)
      if (open.current?.input !== written) open.current = { input: written, key: uuid() }
      return run(input, { idempotencyKey: open.current.key })
    },
    onSuccess: async (output) => {
      open.current = null
      if (done) void message.success(typeof done === 'function' ? done(output) : done)
      await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
    onError: (error) => {
      const said = isAtField(error, fieldOf) || (error instanceof HttpError && [0, 401, 403, 404].includes(error.status))
      if (!(error instanceof HttpError && error.status === 0)) open.current = null
      if (!said) void message.error(failureText(error))
    },
  })
}
