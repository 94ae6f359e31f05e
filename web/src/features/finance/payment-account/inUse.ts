/** The card that is being bound or is in use, kept in the browser until the sign-out or until it is no longer in use. */
import { type BankCard, liveCard } from './paymentAccount'

const CARD_NO = 'cardNo'
const BANK_MOBILE = 'bankMobile'
const SHOWN_DIGITS = 4

/** Number and mobile of the card in use, whole. */
export interface CardInUse {
  cardNo: string
  bankMobile: string
}

export function keepInUse({ cardNo, bankMobile }: CardInUse): void {
  localStorage.setItem(CARD_NO, cardNo)
  localStorage.setItem(BANK_MOBILE, bankMobile)
}

export function cardInUse(): CardInUse | null {
  const cardNo = localStorage.getItem(CARD_NO)
  const bankMobile = localStorage.getItem(BANK_MOBILE)
  return cardNo && bankMobile ? { cardNo, bankMobile } : null
}

/** Whether `card` is the one that ends with the digits of `number`. */
export function isCard(card: BankCard, number: string): boolean {
  return card.cardNoMasked.slice(-SHOWN_DIGITS) === number.slice(-SHOWN_DIGITS)
}

/** Forgets what is kept when the account no longer has that card bound or on its way. */
export function forgetUnlessInUse(cards: readonly BankCard[]): void {
  const kept = localStorage.getItem(CARD_NO)
  const live = liveCard(cards)
  if (kept !== null && live !== null && isCard(live, kept)) return
  localStorage.removeItem(CARD_NO)
  localStorage.removeItem(BANK_MOBILE)
}

/** The mobile that the pending card was given here; null when it was bound in another browser. */
export function mobileOf(card: BankCard): string | null {
  const kept = cardInUse()
  return kept && isCard(card, kept.cardNo) ? kept.bankMobile : null
}
