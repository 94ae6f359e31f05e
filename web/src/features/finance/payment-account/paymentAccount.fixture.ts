/** An account of a company that is open, as the server tells it; for tests. */
import { COMPANY, NORMAL, type PaymentAccount } from './paymentAccount'

export const account: PaymentAccount = {
  id: '9',
  agentId: '7',
  agentName: '鹭岛出行',
  parentAccountId: null,
  accountLevel: 2,
  accountType: COMPANY,
  customerName: '鹭岛出行有限公司',
  certNoMasked: '9135********001Y',
  contact: '陈*',
  phoneMasked: '139****0001',
  status: NORMAL,
  authStatus: 0,
  failReason: null,
  payPasswordSet: false,
  openedAt: 1_790_000_000_000,
  changedAt: 1_790_000_000_000,
  version: 3,
}
