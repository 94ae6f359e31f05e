import type { ReactNode } from 'react'
import { allows, useCodes } from './permission/held'

/** Whether the user may see what needs `need`: `A,B` asks for both, `A||B` for one. */
export function usePermit(need: string): boolean {
  return allows(need, useCodes())
}

/** Renders its children only for those who hold `need`. */
export function Permit({ need, children }: { need: string; children: ReactNode }) {
  return usePermit(need) ? children : null
}
