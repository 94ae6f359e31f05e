import { Link } from 'react-router-dom'
import { Permit } from '../Permit'

interface AffectedOrdersProps {
  /** 1 billing, 2 fence, 3 edge of the area. */
  subject: 1 | 2 | 3
  opAreaId: string
  /** Of a fence. */
  fenceId?: string
  version: number
}

/** The way to the orders that a version priced, should it have been wrong; for those who may give money back. */
export function AffectedOrders({ subject, opAreaId, fenceId, version }: AffectedOrdersProps) {
  const asked = new URLSearchParams({ view: 'mispricings', find: '1', subject: String(subject), opAreaId, ...(fenceId && { fenceId }), version: String(version) })
  return (
    <Permit need="1601">
      <Link className="version-link" to={`/user-order?${asked.toString()}`}>
        受影响订单
      </Link>
    </Permit>
  )
}
