import { ListPage } from '@/kit/list/ListPage'
import type { Account } from './account'
import { AccountDrawer } from './AccountDrawer'
import { accountList } from './description'
import { useOwnAccount } from './useOwnAccount'
import './account.css'

/** 账户管理: the payment accounts of all agents in scope. */
export default function AccountManagerPage() {
  useOwnAccount()
  return <ListPage<Account> description={accountList} drawer={(id, close) => <AccountDrawer key={id} id={id} onClose={close} />} />
}
