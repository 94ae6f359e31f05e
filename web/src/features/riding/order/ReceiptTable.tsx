import { fareRuleLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { Money } from '@/kit/Money'
import { quantityOf } from '../charging-config/fare'
import type { Receipt } from './order'
import './order.css'

/** A receipt line by line, each with the rule that made it. */
export function ReceiptTable({ receipt, name = '费用明细' }: { receipt: Receipt; name?: string }) {
  return (
    <table className="order-receipt" aria-label={name}>
      <tbody>
        {receipt.lines.map(({ rule, amountCents, quantity }) => (
          <tr key={`${rule}-${quantity}`}>
            <th scope="row">
              {labelOf(fareRuleLabels, rule)} <span className="weak figure">{quantityOf(rule, quantity)}</span>
            </th>
            <td>
              <Money cents={amountCents} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">应付（元）</th>
          <td>
            <strong>
              <Money cents={receipt.payCents} />
            </strong>
          </td>
        </tr>
        {receipt.heldBackCents > 0 && (
          <tr className="weak">
            <th scope="row">超过单笔上限，待人工确认</th>
            <td>
              <Money cents={receipt.heldBackCents} />
            </td>
          </tr>
        )}
      </tfoot>
    </table>
  )
}
