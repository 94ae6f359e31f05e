/** Words that have to survive the reload at the end of a login: kept once, shown once. */
export interface Announcement {
  welcome: boolean
  warning: string | null
}

const KEY = 'announce'

/** `page` tells one load of the page from the next: who is about to go must not show it. */
export function announceAfterReload(announcement: Announcement, page = performance.timeOrigin): void {
  sessionStorage.setItem(KEY, JSON.stringify({ announcement, page }))
}

/** What is to be shown now, or null; asking twice gives null. */
export function takeAnnouncement(page = performance.timeOrigin): Announcement | null {
  const text = sessionStorage.getItem(KEY)
  if (text === null) return null
  try {
    const kept = JSON.parse(text) as { announcement: Announcement; page: number }
    if (kept.page === page) return null
    sessionStorage.removeItem(KEY)
    return kept.announcement
  } catch {
    sessionStorage.removeItem(KEY)
    return null
  }
}
