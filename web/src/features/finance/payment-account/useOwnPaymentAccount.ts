import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refreshRights } from '@/app/session/store'
import { type AccountInfo, storeAccount, storedAccount } from '@/app/session/stored'
import { accountOf, ownAgentId } from './paymentAccount'

/** Keeps what is known of one's own account; menu and pages follow when it has come to allow more or less. */
export async function adoptAccount(info: AccountInfo | null): Promise<void> {
  const before = storedAccount()
  storeAccount(info)
  const after = storedAccount()
  if (before.status !== after.status || before.level !== after.level) await refreshRights()
}

/** The account of one's own agent, on pages that follow accounts: whoever changes it, no new login is needed. */
export function useOwnPaymentAccount() {
  const query = useQuery(accountOf(ownAgentId()))
  const { data } = query
  useEffect(() => {
    if (data !== undefined) void adoptAccount(data)
  }, [data])
  return query
}
