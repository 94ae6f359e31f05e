/** Navigation for code that is no component; the router plugs itself in. */
type Navigate = (to: string, options?: { replace?: boolean }) => Promise<void>

let navigate: Navigate = async (to) => {
  window.location.hash = to
}

export function plugNavigator(next: Navigate): void {
  navigate = next
}

/** Resolves when the page at `to` is on the screen. */
export function goTo(to: string, options?: { replace?: boolean }): Promise<void> {
  return navigate(to, options)
}

/** The full path after the hash. */
export function currentPath(): string {
  return window.location.hash.slice(1) || '/'
}
