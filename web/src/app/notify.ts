/** Messages to the user from code that is no component; the frame plugs antd in. */
export interface Notifier {
  error(title: string, description: string): void
  success(title: string, description: string): void
}

type Message = ['error' | 'success', string, string]

let plugged: Notifier | null = null
let early: Message[] = []

function tell(...message: Message): void {
  const [kind, title, description] = message
  if (plugged) plugged[kind](title, description)
  else early.push(message)
}

/** What `tell`s before the frame stands is kept and shown then. */
export const notify: Notifier = {
  error: (title, description) => tell('error', title, description),
  success: (title, description) => tell('success', title, description),
}

export function plugNotifier(notifier: Notifier | null): void {
  plugged = notifier
  if (!notifier) return
  const waiting = early
  early = []
  for (const message of waiting) tell(...message)
}
