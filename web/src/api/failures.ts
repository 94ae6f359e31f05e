/** The server understood and said no; `text` is for the user. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  constructor(
    readonly code: string,
    readonly text: string,
  ) {
    super(text)
  }
}

/** The request failed before any decision; `status` 0 means no answer came. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: number,
    readonly text: string,
    readonly code = '',
  ) {
    super(text)
  }
}

/** What to tell the user about `error`. */
export function failureText(error: unknown, otherwise = '操作失败，请稍后再试'): string {
  if (error instanceof Refusal) return error.text || otherwise
  if (error instanceof HttpError) return error.text || otherwise
  return otherwise
}
