/**
 * The customer-service tool learns who signed in: once in each session, whether a widget is configured or not, because
 * whoever answers may work with the tool elsewhere. When it fails nobody is told, and the next page tries again.
 */
import { api } from '@/api/client'
import { ACCESS_TOKEN } from '@/api/storage'
import { readClaims } from '../session/claims'
import type { ChatVisitor } from './vendor'

/** Of which session the tool knows. */
const KNOWN = 'ebike_ops__csToolSession'

/** The session of this browser; null when there is none. */
function session(): string | null {
  const sid = readClaims(localStorage.getItem(ACCESS_TOKEN) ?? '')?.sid
  return sid === undefined || sid === '' ? null : sid
}

/** Makes `visitor` known to the tool unless that was done in this session. */
export async function register(visitor: ChatVisitor): Promise<void> {
  const current = session()
  if (current === null || localStorage.getItem(KNOWN) === current) return
  const { name, phone, company, objectId } = visitor
  try {
    await api.post('/platform/permission/user/bangwo8', { name, phone, company, objectId }, { quiet: true })
    localStorage.setItem(KNOWN, current)
  } catch {
    // The chat works all the same.
  }
}
