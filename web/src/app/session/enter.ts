import { forgetJobs } from '@/kit/jobs/store'
import { queryAfterHash, safeRedirect } from '../access'
import { currentPath } from '../nav'
import { paths } from '../routes'

/** The address of the page without the link that was followed: a used link would be tried again at the next login. */
export function withoutOrigin(pathname: string, search: string): string {
  const params = new URLSearchParams(search)
  params.delete('origin')
  const left = params.toString()
  return left === '' ? pathname : `${pathname}?${left}`
}

/** Goes where the visitor came from and reloads, so that nothing of the anonymous page is left. */
export function enter(): void {
  const target = safeRedirect(new URLSearchParams(queryAfterHash(currentPath())).get('redirect')) ?? paths.home
  const { pathname, search } = window.location
  // They were begun by who is gone, and the browser would ask about them.
  forgetJobs()
  // Without an event: the anonymous page must not begin to load what the reloaded one will.
  window.history.replaceState(null, '', `${withoutOrigin(pathname, search)}#${target}`)
  window.location.reload()
}
