import { SearchOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { AutoComplete, type RefSelectProps } from 'antd'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { usePermit } from '@/kit/Permit'
import { StateTag } from '@/kit/StateTag'
import { paths } from '../routes'

/** Shortest text worth asking for. */
const MIN_LENGTH = 3

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** Finds a bike by car id or IMEI from any page; `/` focuses it. */
export function SearchBox() {
  const mayLook = usePermit('0301||0302')
  const [text, setText] = useState('')
  const keyword = useDeferredValue(text.trim())
  const input = useRef<RefSelectProps>(null)
  const navigate = useNavigate()

  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      input.current?.focus()
    }
    window.addEventListener('keydown', focus)
    return () => window.removeEventListener('keydown', focus)
  }, [])

  const found = useQuery({
    queryKey: ['vehicle', 'search', keyword],
    queryFn: ({ signal }) => api.get<DataOf<'/vehicle/search'>>('/vehicle/search', { keyword }, { signal, quiet: true }),
    enabled: mayLook && keyword.length >= MIN_LENGTH,
    staleTime: 10_000,
  })
  const options = (found.data?.rows ?? []).map((bike) => ({
    value: bike.carId,
    label: (
      <span className="search-hit">
        <strong className="figure">{bike.carId}</strong>
        <span className="weak">{bike.areaName}</span>
        <StateTag state={bike.state} />
      </span>
    ),
  }))
  if (!mayLook) return null
  const nothing = keyword.length >= MIN_LENGTH && found.isSuccess ? '没有找到车辆' : null
  return (
    <AutoComplete
      ref={input}
      className="search-box"
      allowClear
      aria-label="搜索车辆"
      prefix={<SearchOutlined aria-hidden />}
      suffixIcon={text === '' ? <kbd>/</kbd> : null}
      placeholder="车辆编号 / IMEI"
      value={text}
      options={options}
      notFoundContent={nothing}
      popupMatchSelectWidth={360}
      onChange={setText}
      onSelect={(carId: string) => {
        setText('')
        input.current?.blur()
        void navigate(paths.bikeOnMap(carId))
      }}
      onInputKeyDown={(event) => event.key === 'Escape' && input.current?.blur()}
    />
  )
}
