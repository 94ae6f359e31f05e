/** Messages to the user from code that is no component; the frame plugs antd in. */
export interface Notifier {
  error(title: string, description: string): void
  success(title: string, description: string): void
}

type Message = ['error' | 'success', string, string]

/** The same error within this is not told again: ten calls that fail together are one message. */
export const REPEAT_MS = 3000

let plugged: Notifier | null = null
let early: Message[] = []
let told: { words: string; at: number }[] = []

function tell(...message: Message): void {
  const [kind, title, description] = message
  if (plugged) plugged[kind](title, description)
  else early.push(message)
}

/** Whether `words` were told less than `REPEAT_MS` before `now`; remembers them when they were not. */
function isRepeat(words: string, now: number): boolean {
  told = told.filter((message) => now - message.at < REPEAT_MS)
  if (told.some((message) => message.words === words)) return true
  told.push({ words, at: now })
  return false
}

/** What is told before the frame stands is kept and shown then. */
export const notify: Notifier = {
  error(title, description) {
    if (!isRepeat(`${title}\n${description}`, performance.now())) tell('error', title, description)
  },
  success: (title, description) => tell('success', title, description),
}

export function plugNotifier(notifier: Notifier | null): void {
  plugged = notifier
  if (!notifier) return
  const waiting = early
  early = []
  for (const message of waiting) tell(...message)
}
