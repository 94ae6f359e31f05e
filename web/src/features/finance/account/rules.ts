import type { Rule } from 'antd/es/form'

/** A mobile number of the mainland. */
export const PHONE_PATTERN = /^1[3-9]\d{9}$/

/** A rule out of a function that says what is wrong with a text, or null. */
export function rule(faultOf: (text: string | undefined) => string | null): Rule {
  return {
    validator: (_, text: string | undefined) => {
      const fault = faultOf(text?.trim())
      return fault === null ? Promise.resolve() : Promise.reject(new Error(fault))
    },
  }
}
