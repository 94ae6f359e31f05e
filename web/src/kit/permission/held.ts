/** The codes that the person at this browser holds, and what they let him see. */
import { create } from 'zustand'

/** Nobody's codes. */
export const noCodes: ReadonlySet<string> = new Set()

/** The codes of the user, as the session tells them; none until they are loaded. */
export const useCodes = create<ReadonlySet<string>>(() => noCodes)

/** Whether someone with `codes` may see what `expression` is required for: `||` splits first, commas ask for all. */
export function allows(expression: string, codes: ReadonlySet<string>): boolean {
  return expression.split('||').some((alternative) => {
    const needed = alternative.split(',').map((code) => code.trim())
    return needed.every((code) => code !== '' && codes.has(code))
  })
}
