import { type QueryFunctionContext, useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { withHeld } from '../choice'
import type { FilterOption } from './description'

/** Asks the server for what holds the keyword, or has it for its id. */
export type Choices = (keyword: string) => {
  queryKey: readonly unknown[]
  queryFn(context: QueryFunctionContext): Promise<readonly FilterOption[]>
  staleTime?: number
}

interface RemoteSelectProps {
  label: string
  placeholder?: string
  choices: Choices
  disabled?: boolean
  value: string | undefined
  onChange(value: string | undefined, label: string | undefined): void
  /** px */
  width?: number
}

/** Finds one of many by part of its name. */
export function RemoteSelect({ label, placeholder, choices, disabled = false, value, onChange, width = 168 }: RemoteSelectProps) {
  const [text, setText] = useState('')
  const keyword = useDeferredValue(text.trim())
  const found = useQuery({ ...choices(keyword), enabled: !disabled })
  // What an address names by id shows by name.
  const named = useQuery({ ...choices(value ?? ''), enabled: !disabled && Boolean(value) })
  const options = withHeld(found.data ?? [], value, named.data)
  return (
    <Select
      allowClear
      showSearch={{ filterOption: false, onSearch: setText, searchValue: text }}
      aria-label={label}
      placeholder={placeholder}
      disabled={disabled}
      style={{ width }}
      loading={found.isFetching}
      value={value ?? null}
      options={options}
      notFoundContent={found.isError ? '加载失败，请稍后再试' : found.isLoading ? '搜索中' : '没有匹配的结果'}
      onChange={(chosen: string | null | undefined) => {
        setText('')
        onChange(chosen ?? undefined, options.find((option) => option.value === chosen)?.label)
      }}
    />
  )
}
