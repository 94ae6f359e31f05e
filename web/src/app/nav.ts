/** Navigation for code that is no component; the router plugs itself in. */
type Navigate = (to: string, options?: { replace?: boolean }) => void

let navigate: Navigate = (to) => {
  window.location.hash = to
}

export function plugNavigator(next: Navigate): void {
  navigate = next
}

export function goTo(to: string, options?: { replace?: boolean }): void {
  navigate(to, options)
}

/** The full path after the hash. */
export function currentPath(): string {
  return window.location.hash.slice(1) || '/'
}
