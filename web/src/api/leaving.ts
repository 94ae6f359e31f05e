/**
 * Whether the browser is about to leave the page. It then breaks off requests, and that must not pass for a
 * failure: the page that is going would end a session that the next page needs.
 */
const CANCELLED_AFTER_MS = 3000

let leaving = false

window.addEventListener('beforeunload', () => {
  leaving = true
  // A download begins like leaving, but the page stays.
  setTimeout(() => {
    leaving = false
  }, CANCELLED_AFTER_MS)
})
window.addEventListener('pageshow', () => {
  leaving = false
})

export function isLeaving(): boolean {
  return leaving
}
