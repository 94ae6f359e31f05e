import { CLOSED, FAILED, FROZEN, IN_REVIEW, NORMAL, NOT_OPENED, type PaymentAccount, statusTag } from './paymentAccount'

/** Where an account stands on its way, for the row of steps. */
export interface Standing {
  /** Index of the step that is reached. */
  current: number
  look: 'process' | 'finish' | 'error'
  /** The words of the three steps. */
  titles: readonly [string, string, string]
}

const START = statusTag(NOT_OPENED).label
const REVIEW = statusTag(IN_REVIEW).label
const OPEN = statusTag(NORMAL).label

/** How far an account with this status has come; one without a status reads as the label does. */
export function standingOf(status: PaymentAccount['status']): Standing {
  const label = statusTag(status).label
  switch (status ?? NORMAL) {
    case NOT_OPENED:
      return { current: 0, look: 'process', titles: [START, REVIEW, OPEN] }
    case IN_REVIEW:
      return { current: 1, look: 'process', titles: ['已申请', REVIEW, OPEN] }
    case FAILED:
      return { current: 1, look: 'error', titles: ['已申请', label, OPEN] }
    case FROZEN:
    case CLOSED:
      return { current: 2, look: 'error', titles: ['已申请', '已审核', label] }
    default:
      return { current: 2, look: 'finish', titles: ['已申请', '已审核', label] }
  }
}
