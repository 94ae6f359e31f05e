import { HttpError, Refusal } from './failures'

type Fields = Record<string, unknown>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The Chinese text of a refusal: either spelling of the main host, a bare text, or the financial `msg`. */
export function refusalText(body: unknown): string {
  if (!isFields(body)) return ''
  const { error, message, msg } = body
  const told = isFields(error) ? (error.promot ?? error.promt) : error
  for (const text of [message, told, msg]) if (typeof text === 'string' && text !== '') return text
  return ''
}

function refusalCode(body: Fields): string {
  const code = isFields(body.error) ? body.error.code : body.code
  return typeof code === 'string' || typeof code === 'number' ? String(code) : ''
}

/** Takes the data out of an envelope of either host; an answer without an envelope is its own data. */
export function unwrap(body: unknown): unknown {
  if (!isFields(body)) return body
  const refused = body.suc === false || body.success === false || (typeof body.error === 'string' && body.error !== '')
  if (refused) throw new Refusal(refusalCode(body), refusalText(body))
  if ('suc' in body || 'success' in body) return body.data
  return body
}

/** The error of an answer whose status is not 2xx. */
export function httpError(status: number, body: unknown): HttpError {
  return new HttpError(status, refusalText(body), isFields(body) ? refusalCode(body) : '')
}
