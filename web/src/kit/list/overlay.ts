/** What lies over a page and is in its address: a drawer. Back closes it, and does not leave the page. */
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'

const OVERLAYS: readonly string[] = ['open', 'replay']

/** The parameters of the page alone. */
export function beneath(params: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...params].filter(([name]) => !OVERLAYS.includes(name)))
}

const isOverlaid = (params: URLSearchParams) => OVERLAYS.some((name) => params.has(name))

/** In the history's state: the entry before this one is the same page with nothing over it. */
const OPENED_HERE = { openedHere: true }

/**
 * The parameters of the address and how to write them. An overlay that opens is an entry of the history of its own, one
 * that closes goes back to the entry before; all else rewrites the entry that is.
 */
export function useOverlaidParams(): [URLSearchParams, (next: URLSearchParams) => void] {
  const [params, setParams] = useSearchParams()
  const location = useLocation()
  const navigate = useNavigate()
  const write = (next: URLSearchParams) => {
    const opens = isOverlaid(next) && !isOverlaid(params)
    const closes = isOverlaid(params) && !isOverlaid(next)
    const here = window.location.hash === `#${location.pathname}${location.search}`
    const openedHere = (location.state as Partial<typeof OPENED_HERE> | null)?.openedHere === true
    if (opens) setParams(next, { state: OPENED_HERE })
    else if (closes && openedHere && here && next.toString() === beneath(params).toString()) void navigate(-1)
    else setParams(next, { replace: true, state: closes ? null : (location.state as unknown) })
  }
  return [params, write]
}
