/** The session of this tab: who is logged in and what he may do. Loaded on the first navigation. */
import { create } from 'zustand'
import { api, failureText } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { ACCESS_TOKEN, clearSignature, saveSignature, signedUntil } from '@/api/storage'
import { forgetJobs } from '@/kit/jobs/store'
import { noCodes, useCodes } from '@/kit/permission/held'
import { ALL, withRedirect } from '../access'
import { currentPath, goTo } from '../nav'
import { notify } from '../notify'
import { paths } from '../routes'
import { needsRenewal, readClaims } from './claims'
import { deviceCode } from './device'
import { gateFinancial, showsAccount } from './permission'
import { clearSession, isLoggedIn, replaceToken, storedAccount, storedIds } from './stored'
import { sayOnLogin } from './tabs'

/** The answer of the operator login. */
export type UserInfo = DataOf<'/platform/permission/login', 'post'>

interface SessionState {
  user: UserInfo | null
  /** Null until loaded. */
  codes: ReadonlySet<string> | null
  /** Whether payment entries show. */
  isShow: boolean
  /** Flag of the financial group in the menu. */
  isShowMenu: string
  loading: boolean
}

const nobody: SessionState = { user: null, codes: null, isShow: false, isShowMenu: 'false', loading: false }

export const useSession = create<SessionState>(() => nobody)

// What the kit shows follows the session.
useSession.subscribe(({ codes }) => useCodes.setState(codes ?? noCodes, true))

// What a person began ends with his session.
useSession.subscribe((now, before) => {
  if (before.user && before.user.userId !== now.user?.userId) forgetJobs()
})

/** Asks who is logged in and what he may do. */
async function fetchRights(): Promise<SessionState> {
  const opManId = localStorage.getItem('opMan') ?? ''
  // The token of this answer is not kept: the one in use carries the selection.
  const user = await api.post('/platform/permission/login', { opManId })
  const codes = await api.get('/platform/permission/allCode', { opManId })
  const account = storedAccount()
  const cashierMode = localStorage.getItem('cashierMode')
  return {
    user: { ...user, phone: opManId },
    codes: new Set([...gateFinancial(codes, account), ALL]),
    isShow: showsAccount(account, cashierMode),
    isShowMenu: cashierMode === null ? 'false' : 'true',
    loading: false,
  }
}

/** Asks for the rights again while the page stays. When that fails what is known stays too: the server judges every call. */
export async function refreshRights(): Promise<void> {
  const rights = await fetchRights().catch(() => null)
  if (rights && useSession.getState().user?.userId === rights.user?.userId) useSession.setState(rights)
}

/** Loads user info, then the codes. A failure ends the session. */
export async function loadUser(): Promise<void> {
  if (useSession.getState().loading) return
  useSession.setState({ loading: true })
  try {
    useSession.setState(await fetchRights())
  } catch {
    useSession.setState(nobody)
    // A 401 has said so already and has led to the login page.
    if (!isLoggedIn()) return
    notify.error('错误', '请求用户信息失败，请重试')
    clearSession()
    await goTo(paths.loginHome, { replace: true })
  }
}

/** Ends the session here without asking: the server has ended it. The login says `words`, if there are any. */
export function endSession(words: string | null): void {
  if (!localStorage.getItem(ACCESS_TOKEN)) return
  if (words !== null) sayOnLogin(words)
  localStorage.removeItem(ACCESS_TOKEN)
  clearSignature()
  void leave(paths.login)
}

/** Ends the session here because it was ended in another tab. */
export async function followOut(): Promise<void> {
  clearSession()
  await leave(withRedirect(paths.login, currentPath()))
}

/** Logs out, after the user has confirmed. When the call fails its message is shown and the session ends all the same. */
export async function logOut(): Promise<void> {
  const left = currentPath()
  // Not after it: what is under way would be refused then.
  forgetJobs()
  try {
    await api.post('/auth/logout', {}, { quiet: true })
  } catch (error) {
    notify.error('错误', failureText(error, '网络出现问题，请稍后再试'))
  }
  clearSession()
  await leave(withRedirect(paths.login, left))
}

/** Goes first and forgets then: authorisation that sees nobody on the old page would choose another way out. */
async function leave(to: string): Promise<void> {
  await goTo(to, { replace: true })
  useSession.setState(nobody)
}

/** Asks for a token of this selection; empty lists mean all. */
export async function renewToken(agentIds: string[], opAreaIds: string[]): Promise<void> {
  const body = { agentIds, opAreaIds, build: import.meta.env.MODE, devId: deviceCode(), package: 'wheelhouse-web' }
  const answer = await api.post('/auth/token', body)
  replaceToken(answer.token, agentIds, opAreaIds)
  if (answer._t && answer._k) saveSignature({ _t: answer._t, _k: answer._k }, Date.now())
}

/** Renews token and signature while a page is open and less than twelve hours are left. */
export async function renewIfNeeded(now: number): Promise<void> {
  const claims = readClaims(localStorage.getItem(ACCESS_TOKEN) ?? '')
  if (!isLoggedIn() || !claims || !needsRenewal(now, claims.exp, signedUntil())) return
  await renewToken(storedIds('agentIds'), storedIds('opAreaIds'))
}
