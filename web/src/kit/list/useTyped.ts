import { type ChangeEvent, useEffect, useEffectEvent, useState } from 'react'

/** Who types on within this time is not done, ms. */
export const TYPING_PAUSE_MS = 400

/**
 * The text of a field that asks by itself: after a pause, at once on Enter, when the field is left or emptied. Nothing is
 * asked while an input method still composes. `value` is what was asked last; changed elsewhere, the field follows it.
 */
export function useTyped(value: string, onAsk: (value: string) => void) {
  const [text, setText] = useState(value)
  const [asked, setAsked] = useState(value)
  const [known, setKnown] = useState(value)
  const [composing, setComposing] = useState(false)
  if (known !== value) {
    setKnown(value)
    if (value !== asked) {
      setAsked(value)
      setText(value)
    }
  }
  const ask = useEffectEvent((next: string) => {
    const trimmed = next.trim()
    if (trimmed === asked) return
    setAsked(trimmed)
    onAsk(trimmed)
  })
  useEffect(() => {
    if (composing) return undefined
    const timer = setTimeout(() => ask(text), text === '' ? 0 : TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, composing])
  return {
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setText(event.target.value),
    onPressEnter: () => ask(text),
    onBlur: () => ask(text),
    onCompositionStart: () => setComposing(true),
    onCompositionEnd: () => setComposing(false),
  }
}
