/** How a new urgent alarm makes itself heard, for who asked for it: a sound, and a notice of the desktop. */
import { create } from 'zustand'
import type { AlarmTicket } from './alarm'
import { kindWord } from './alarm'

const KEY = 'alarm-notices'

interface Wishes {
  sound: boolean
  desktop: boolean
}

function kept(): Wishes {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Wishes>
    return { sound: found.sound === true, desktop: found.desktop === true }
  } catch {
    return { sound: false, desktop: false }
  }
}

/** What this browser is asked to do; kept for the next visit. */
export const useNotices = create<Wishes>(kept)
useNotices.subscribe((wishes) => localStorage.setItem(KEY, JSON.stringify(wishes)))

/** Asks the browser whether it may show notices; whether it may. */
export async function allowDesktop(): Promise<boolean> {
  if (!('Notification' in window)) return false
  return (await Notification.requestPermission()) === 'granted'
}

const TONES_HZ = [880, 660, 880] as const
const TONE_S = 0.16

/** Three short tones. Browsers let a page sound only after it was touched once; before, nothing is heard. */
export function sound(context: AudioContext): void {
  for (const [number, hertz] of TONES_HZ.entries()) {
    const begin = context.currentTime + number * (TONE_S + 0.04)
    const [tone, gain] = [context.createOscillator(), context.createGain()]
    tone.frequency.value = hertz
    gain.gain.setValueAtTime(0.0001, begin)
    gain.gain.exponentialRampToValueAtTime(0.2, begin + 0.02)
    gain.gain.exponentialRampToValueAtTime(0.0001, begin + TONE_S)
    tone.connect(gain).connect(context.destination)
    tone.start(begin)
    tone.stop(begin + TONE_S)
  }
}

let context: AudioContext | null = null

/** Tells of a ticket as far as this browser was asked to. */
export function tell(ticket: AlarmTicket): void {
  const { sound: aloud, desktop } = useNotices.getState()
  if (aloud) {
    context ??= new AudioContext()
    sound(context)
  }
  if (desktop && 'Notification' in window && Notification.permission === 'granted') {
    const words = `${kindWord(ticket.kind)} ${ticket.carId}`
    // The same ticket replaces its notice.
    const shown = new Notification(words, { body: ticket.areaName ?? '', tag: ticket.id })
    shown.addEventListener('click', () => window.focus())
  }
}
