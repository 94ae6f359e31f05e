import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { noteSeen } from '@/api/client'
import { refreshRights } from '@/app/session/store'
import { type AccountInfo, storeAccount, storedAccount } from '@/app/session/stored'
import { useReadTopic } from '@/live/hooks'
import { ACCOUNT_TABLE, accountOf, CUSTOMER, ownAgentId } from './account'

/** Keeps what is known of one's own account; menu and pages follow when it has come to allow more or less. */
export async function adoptAccount(info: AccountInfo | null): Promise<void> {
  const before = storedAccount()
  storeAccount(info)
  const after = storedAccount()
  if (before.status !== after.status || before.level !== after.level) await refreshRights()
}

/** The account of one's own franchisee, followed: whoever changes it, no new login is needed. */
export function useOwnAccount() {
  const client = useQueryClient()
  const query = useQuery(accountOf(ownAgentId()))
  useReadTopic(ACCOUNT_TABLE, (_, seq) => {
    noteSeen(seq)
    void client.invalidateQueries({ queryKey: [CUSTOMER] })
  })
  const { data } = query
  useEffect(() => {
    if (data !== undefined) void adoptAccount(data)
  }, [data])
  return query
}
