import { useEffect } from 'react'

/** Whether keys typed there have a meaning of their own. */
function ownsArrows(target: EventTarget | null): boolean {
  const owners = 'input, textarea, [role="tree"], [role="menu"], .ant-select, .ant-picker'
  return target instanceof HTMLElement && target.closest(owners) !== null
}

/** What leads to the rows before and behind the open one; nothing at an end. */
export interface Neighbours {
  previous: (() => void) | null
  next: (() => void) | null
}

export function neighboursOf(keys: readonly string[], open: string, onOpen: (key: string) => void): Neighbours {
  const at = keys.indexOf(open)
  const to = (key: string | undefined) => (at < 0 || key === undefined ? null : () => onOpen(key))
  return { previous: to(keys[at - 1]), next: to(keys[at + 1]) }
}

/** Up and down move from the open row to its neighbour; Esc is the drawer's own. Nothing while no row is open. */
export function useArrows(keys: readonly string[], open: string | null, onOpen: (key: string) => void): void {
  useEffect(() => {
    if (open === null) return undefined
    const move = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      const at = keys.indexOf(open)
      const next = keys[at + step]
      if (step === 0 || at < 0 || next === undefined || ownsArrows(event.target)) return
      event.preventDefault()
      onOpen(next)
    }
    window.addEventListener('keydown', move)
    return () => window.removeEventListener('keydown', move)
  })
}
