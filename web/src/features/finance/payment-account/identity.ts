import { licenseFault } from '@/kit/license'
import { PERSON } from './paymentAccount'

/** 居民身份证号 (GB 11643-1999): 17 digits and one sign that checks them. The server has the last word. */
const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2] as const
const CHECKS = '10X98765432'

/** Why `text` is no identity number, in the user's words; null when it is one. */
export function identityFault(text: string): string | null {
  const number = text.trim().toUpperCase()
  if (!/^\d{17}[\dX]$/.test(number)) return '应为 18 位，前 17 位是数字，最后一位是数字或 X'
  const sum = WEIGHTS.reduce((so, weight, place) => so + weight * Number(number[place]), 0)
  return CHECKS[sum % CHECKS.length] === number[17] ? null : '校验位不正确，请核对是否录错'
}

/** Why `text` is not what proves an applicant of this type. */
export function certificateFault(type: number, text: string): string | null {
  return type === PERSON ? identityFault(text) : licenseFault(text)
}

/** Why `text` does not prove the holder of a card of an account of this type: a company's card may be in its own name. */
export function holderFault(type: number, text: string): string | null {
  const fault = identityFault(text)
  if (fault === null || type === PERSON) return fault
  return licenseFault(text) === null ? null : '不是有效的身份证号或统一社会信用代码，请核对'
}

/** What proves an applicant of this type. */
export function certificateName(type: number): string {
  return type === PERSON ? '身份证号' : '统一社会信用代码'
}
