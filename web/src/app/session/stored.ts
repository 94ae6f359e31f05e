/** The keys of a session in localStorage, read and written in one place. */
import type { DataOf } from '@/api/shapes'
import { ACCESS_TOKEN, clearSignature, readCookie } from '@/api/storage'
import { derivedValues, readClaims } from './claims'
import { type AccountState, storedNumber } from './permission'

const accountKeys = ['accountLevel', 'authStatus', 'accountId', 'customerName', 'accountStatus', 'accountType'] as const

/** Logged in means: access token, objectId and cookie `_t`, all three. */
export function isLoggedIn(): boolean {
  return Boolean(localStorage.getItem(ACCESS_TOKEN) && localStorage.getItem('objectId') && readCookie('_t'))
}

/** Keeps the access token of a login and what follows from it. */
export function storeToken(token: string): void {
  localStorage.setItem(ACCESS_TOKEN, token)
  const claims = readClaims(token)
  if (!claims) return
  for (const [key, value] of Object.entries(derivedValues(claims))) localStorage.setItem(key, value)
}

/** Keeps a newer token of the same session. Its selection is what the person chose, whatever the server had to cut from it. */
export function replaceToken(token: string, agentIds: readonly string[], opAreaIds: readonly string[]): void {
  // What the walls show is chosen on them and stays.
  const ofWalls = localStorage.getItem('opAreaIdsBigScreen') ?? ''
  storeToken(token)
  localStorage.setItem('opAreaIdsBigScreen', ofWalls)
  storeSelection(agentIds, opAreaIds)
}

/** Keeps what is selected; the walls start with it. */
export function storeSelection(agentIds: readonly string[], opAreaIds: readonly string[]): void {
  localStorage.setItem('agentIds', agentIds.join(','))
  localStorage.setItem('opAreaIds', opAreaIds.join(','))
  localStorage.setItem('currentServiceId', opAreaIds[0] ?? '')
  if (!localStorage.getItem('opAreaIdsBigScreen')) localStorage.setItem('opAreaIdsBigScreen', opAreaIds.join(','))
}

/** A comma list as ids. */
export function storedIds(key: 'agentIds' | 'opAreaIds' | 'opAreaIdsBigScreen'): string[] {
  return (localStorage.getItem(key) ?? '').split(',').filter((id) => id !== '')
}

type Account = NonNullable<DataOf<'/Pay/customer/getAccountInfo'>>

/** What the account call tells of an account; any of it may be missing. */
export type AccountInfo = { readonly [Name in keyof Account]?: Account[Name] | null }

/** Keeps what is known of the account; null means none is opened yet. */
export function storeAccount(info: AccountInfo | null): void {
  clearAccount()
  const values = {
    accountId: info?.id,
    accountLevel: info?.accountLevel,
    authStatus: info?.authStatus,
    accountStatus: info?.status,
    accountType: info?.accountType,
    customerName: info?.customerName ?? info?.name,
  }
  for (const [key, value] of Object.entries(values)) {
    if (value !== null && value !== undefined) localStorage.setItem(key, String(value))
  }
}

export function clearAccount(): void {
  for (const key of accountKeys) localStorage.removeItem(key)
}

export function storedAccount(): AccountState {
  return {
    status: storedNumber(localStorage.getItem('accountStatus')),
    level: storedNumber(localStorage.getItem('accountLevel')),
  }
}

/** Forgets the session. The login phone stays: it fills the field of the next login. */
export function clearSession(): void {
  const kept = [ACCESS_TOKEN, 'objectId', 'agentId', 'roleId', 'getAgentid', 'cardNo', 'bankMobile', 'cashierMode']
  const derived = ['opAreaIds', 'opAreaIdsBigScreen', 'agentIds', 'userId', 'phone', 'xcUid', 'currentServiceId']
  for (const key of [...kept, ...derived]) localStorage.removeItem(key)
  sessionStorage.removeItem('seenPosition')
  clearAccount()
  clearSignature()
}
