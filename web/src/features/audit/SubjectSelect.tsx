import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { subjectChoices } from './log'

interface SubjectSelectProps {
  label: string
  placeholder: string
  /** Whose things. */
  category: string
  value: string | undefined
  onChange(id: string | undefined, name: string | undefined): void
  width?: number
}

/** Finds a thing by part of its name, or by its id. */
export function SubjectSelect({ label, placeholder, category, value, onChange, width }: SubjectSelectProps) {
  const [text, setText] = useState('')
  const keyword = useDeferredValue(text.trim())
  const found = useQuery({ ...subjectChoices(category, keyword), enabled: category !== '' })
  // What an address names by id shows by name.
  const named = useQuery({ ...subjectChoices(category, value ?? ''), enabled: category !== '' && Boolean(value) })
  const chosen = value ? (named.data?.find(({ id }) => id === value)?.name ?? value) : undefined
  const options = (found.data ?? []).map(({ id, name }) => ({ value: id, label: name || id }))
  if (value && !options.some((option) => option.value === value)) options.unshift({ value, label: chosen ?? value })
  return (
    <Select
      allowClear
      showSearch={{ filterOption: false, onSearch: setText, searchValue: text }}
      aria-label={label}
      placeholder={placeholder}
      disabled={category === ''}
      style={{ width: width ?? 168 }}
      loading={found.isFetching}
      value={value ?? null}
      options={options}
      notFoundContent={found.isError ? '加载失败，请稍后再试' : found.isLoading ? '搜索中' : '没有匹配的结果'}
      onChange={(id: string | null | undefined) => {
        setText('')
        onChange(id ?? undefined, options.find((option) => option.value === id)?.label)
      }}
    />
  )
}
