import { formatMoney } from './format'

/** An amount in cents, shown in yuan. */
export function Money({ cents }: { cents: number | string | null | undefined }) {
  return <span className="figure">{formatMoney(cents)}</span>
}
