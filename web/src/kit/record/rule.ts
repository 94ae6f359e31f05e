import type { Rule } from 'antd/es/form'

/** A rule out of a function that says what is wrong with a text, spaces around it aside; nothing when all is well. */
export function rule(faultOf: (text: string) => string | false | null): Rule {
  return {
    validator: (_, text: string | undefined) => {
      const fault = faultOf(text?.trim() ?? '')
      return fault ? Promise.reject(new Error(fault)) : Promise.resolve()
    },
  }
}
