import { useQueries, useQuery } from '@tanstack/react-query'
import { Form, type FormItemProps, Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import type { FilterOption } from '../list/description'
import type { Choices } from '../list/RemoteSelect'

interface RemoteChoicesProps {
  /** Who may be found. */
  choices: Choices
  /** Those that the record names already, as they are called. */
  held?: readonly FilterOption[]
  placeholder?: string
  /** Said when nothing is found. */
  none?: string
  disabled?: boolean
}

type RemoteItemProps = Pick<FormItemProps, 'name' | 'label' | 'extra' | 'required' | 'rules'> & RemoteChoicesProps

/** Some of many, each found by a part of its name; the field holds their ids. */
export function RemoteItem({ name, label, extra, required, rules, ...select }: RemoteItemProps) {
  return (
    <Form.Item name={name} label={label} extra={extra} required={required} rules={rules}>
      <RemoteChoices {...select} />
    </Form.Item>
  )
}

interface Field {
  id?: string
  value?: readonly string[]
  onChange?(value: string[]): void
}

function RemoteChoices({ id, value = [], onChange, choices, held = [], placeholder, none = '没有匹配的结果', disabled = false }: RemoteChoicesProps & Field) {
  const [text, setText] = useState('')
  const [picked, setPicked] = useState<readonly FilterOption[]>([])
  const keyword = useDeferredValue(text.trim())
  const found = useQuery({ ...choices(keyword), enabled: !disabled })
  const known = [...(found.data ?? []), ...picked, ...held]
  // What a draft names by id shows by name.
  const missing = value.filter((one) => !known.some((option) => option.value === one))
  const named = useQueries({ queries: missing.map((one) => ({ ...choices(one), enabled: !disabled })) })
  const all = [...known, ...named.flatMap(({ data }) => data ?? [])]
  const chosen = value.map((one) => all.find((option) => option.value === one) ?? { value: one, label: one })
  const others = (found.data ?? []).filter((option) => !value.includes(option.value))
  return (
    <Select<string[]>
      id={id}
      mode="multiple"
      showSearch={{ filterOption: false, onSearch: setText, searchValue: text }}
      placeholder={placeholder}
      disabled={disabled}
      loading={found.isFetching}
      value={[...value]}
      options={[...chosen, ...others]}
      notFoundContent={found.isError ? '加载失败，请稍后再试' : found.isLoading ? '搜索中' : none}
      onChange={(ids) => {
        setText('')
        setPicked(ids.flatMap((one) => all.find((option) => option.value === one) ?? []))
        onChange?.(ids)
      }}
    />
  )
}
