import { Input, type InputRef } from 'antd'
import { type ChangeEvent, useLayoutEffect, useRef, useState } from 'react'
import { caretAfter, digitsOf, grouped, LONGEST } from './cardNumber'

interface CardNumberInputProps {
  id?: string
  /** Digits only. */
  value?: string
  onChange?(digits: string): void
}

/** A field for a card number that shows it in groups of four and keeps the caret where it is while one types. */
export function CardNumberInput({ id, value = '', onChange }: CardNumberInputProps) {
  const field = useRef<InputRef>(null)
  const [caret, setCaret] = useState<{ at: number } | null>(null)
  // With the grouped number, before the next key.
  useLayoutEffect(() => {
    if (caret) field.current?.setSelectionRange(caret.at, caret.at)
  }, [caret])
  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setCaret({ at: caretAfter(digitsOf(target.value.slice(0, target.selectionStart ?? target.value.length)).length) })
    onChange?.(digitsOf(target.value))
  }
  return (
    <Input
      ref={field}
      {...(id === undefined ? {} : { id })}
      className="figure"
      value={grouped(value)}
      placeholder="12 到 19 位数字"
      maxLength={caretAfter(LONGEST) + 4}
      inputMode="numeric"
      autoComplete="off"
      onChange={change}
    />
  )
}
