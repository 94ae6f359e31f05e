/** Rules of the login form; each answers with the warning to show, or null. */

/** Sending asks for the length only; the server judges the rest. */
export function sendWarning(phone: string): string | null {
  return phone.length === 11 ? null : '无效的手机号码'
}

export function loginWarning(phone: string, code: string): string | null {
  if (!/^1[3-9][0-9]{9}$/.test(phone)) return '手机号格式不正确'
  if (code.length !== 6) return '无效的验证码'
  return null
}

/** What the code field holds after a change; anything but digits empties it. */
export function codeInput(value: string): { value: string; warning: string | null } {
  return /^[0-9]*$/.test(value) ? { value, warning: null } : { value: '', warning: '请输入数字' }
}
