/** Words that have to survive the reload at the end of a login: kept once, shown once. */
export interface Announcement {
  welcome: boolean
  warning: string | null
}

const KEY = 'announce'

export function announceAfterReload(announcement: Announcement): void {
  sessionStorage.setItem(KEY, JSON.stringify(announcement))
}

/** What is to be shown now, or null; asking twice gives null. */
export function takeAnnouncement(): Announcement | null {
  const text = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  if (text === null) return null
  try {
    return JSON.parse(text) as Announcement
  } catch {
    return null
  }
}
