/** The financial account as the financial gate sees it; null when unknown, which is never 2. */
export interface AccountState {
  status: number | null
  level: number | null
}

/** Drops the financial codes that the state of the account does not allow. Case-sensitive. */
export function gateFinancial(codes: readonly string[], account: AccountState): string[] {
  if (account.status !== 2) {
    const kept = new Set(['financial', 'financial_02'])
    return codes.filter((code) => !code.includes('financial') || kept.has(code))
  }
  if (account.level === 1) return codes.filter((code) => code !== 'financial_03' && code !== 'financial_04')
  return [...codes]
}

/** A stored number; null for nothing, `null` and what is no number. */
export function storedNumber(text: string | null): number | null {
  if (text === null || text.trim() === '') return null
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

/** Whether payment entries show: level known, status 2, and not without cashier. */
export function showsAccount(account: AccountState, cashierMode: string | null): boolean {
  return cashierMode !== '0' && account.level !== null && account.status === 2
}
