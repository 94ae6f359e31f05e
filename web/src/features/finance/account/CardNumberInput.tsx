import { Input } from 'antd'
import type { ChangeEvent } from 'react'
import { caretAfter, digitsOf, grouped, LONGEST } from './cardNumber'

interface CardNumberInputProps {
  id?: string
  /** Digits only. */
  value?: string
  onChange?(digits: string): void
}

/** A field for a card number that shows it in groups of four and keeps the caret where it is while one types. */
export function CardNumberInput({ id, value = '', onChange }: CardNumberInputProps) {
  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const caret = caretAfter(digitsOf(target.value.slice(0, target.selectionStart ?? target.value.length)).length)
    onChange?.(digitsOf(target.value))
    // After React has written the grouped number.
    requestAnimationFrame(() => target.setSelectionRange(caret, caret))
  }
  return (
    <Input
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
