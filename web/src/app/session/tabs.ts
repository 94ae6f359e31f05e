/**
 * One session serves all tabs of a browser. What one tab does to it, the others learn from what changes in
 * localStorage, and follow at once.
 */
import { ACCESS_TOKEN } from '@/api/storage'
import { readClaims } from './claims'

/** Written when a login is complete; the token alone comes before billing and account are known. */
export const ENTERED = 'enteredAt'

export function announceEntry(now: number): void {
  localStorage.setItem(ENTERED, String(now))
}

/** What another tab did. */
export type TabNews = 'left' | 'entered' | 'rights' | 'selection'

/** What a change of the store tells; null: nothing that matters here. */
export function newsOf(key: string | null, before: string | null, after: string | null): TabNews | null {
  if (key === null) return 'left'
  if (key === ENTERED) return after === null ? null : 'entered'
  if (key === 'agentIds' || key === 'opAreaIds') return 'selection'
  if (key !== ACCESS_TOKEN) return null
  if (after === null) return 'left'
  const [old, now] = [readClaims(before ?? ''), readClaims(after)]
  // Another person's token is followed by his `entered`.
  if (!old || !now || old.userId !== now.userId) return null
  return old.pv === now.pv && old.sid === now.sid ? null : 'rights'
}

/** What this tab does about it. */
export type TabAnswer = 'leave' | 'reload' | 'refresh' | 'adopt' | 'nothing'

/**
 * `user`: whose page this tab shows, null for the login; `loggedIn`: what the store says now; `stored`: whose session
 * it holds. News are late, so what counts is how things stand.
 */
export function answerTo(news: TabNews, user: string | null, loggedIn: boolean, stored: string | null): TabAnswer {
  if (!loggedIn) return user === null ? 'nothing' : 'leave'
  if (news === 'entered') return user === stored ? 'refresh' : 'reload'
  if (user === null || news === 'left') return 'nothing'
  return news === 'rights' ? 'refresh' : 'adopt'
}

let farewell: string | null = null

/** Words that the login page shows because nobody here asked for it, whatever is drawn anew, until somebody tries to sign in. */
export function sayOnLogin(words: string): void {
  farewell = words
}

export function farewellWords(): string | null {
  return farewell
}

export function forgetFarewell(): void {
  farewell = null
}
