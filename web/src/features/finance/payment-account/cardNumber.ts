/** Numbers of bank cards: 12 to 19 digits, the last of which checks the others (Luhn). */
const SHORTEST = 12
export const LONGEST = 19
const GROUP = 4

/** The digits of what was typed or pasted. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '').slice(0, LONGEST)
}

/** `6222 0210 0112 …`: as it stands on the card. */
export function grouped(digits: string): string {
  return digits.replaceAll(new RegExp(`(\\d{${GROUP}})(?=\\d)`, 'g'), '$1 ')
}

/** Where the caret belongs in the grouped number when so many digits stand before it. */
export function caretAfter(digitsBefore: number): number {
  return digitsBefore + Math.max(0, Math.ceil(digitsBefore / GROUP) - 1)
}

/** Why `text` is no card number, in the user's words; null when it is one. */
export function cardNumberFault(text: string): string | null {
  const digits = digitsOf(text)
  if (digits.length < SHORTEST) return `银行卡号应为 ${SHORTEST} 到 ${LONGEST} 位数字`
  let sum = 0
  for (const [place, digit] of Array.from(digits).toReversed().entries()) {
    const value = place % 2 === 1 ? Number(digit) * 2 : Number(digit)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0 ? null : '银行卡号校验不通过，请核对是否录错'
}
