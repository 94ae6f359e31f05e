/** 统一社会信用代码 (GB 32100-2015): 17 characters and one that checks them. The server has the last word. */
const ALPHABET = '0123456789ABCDEFGHJKLMNPQRTUWXY'
const LENGTH = 18
const WEIGHT_STEP = 3

/** Why `text` is no such code, in the user's words; null when it is one. */
export function licenseFault(text: string): string | null {
  const code = text.trim().toUpperCase()
  const values = Array.from(code, (letter) => ALPHABET.indexOf(letter))
  if (values.length !== LENGTH || values.includes(-1)) return '应为 18 位数字或大写字母（不含 I、O、S、V、Z）'
  let sum = 0
  let weight = 1
  for (const value of values.slice(0, -1)) {
    sum += value * weight
    weight = (weight * WEIGHT_STEP) % ALPHABET.length
  }
  const check = (ALPHABET.length - (sum % ALPHABET.length)) % ALPHABET.length
  return check === values.at(-1) ? null : '校验位不正确，请核对是否录错'
}
