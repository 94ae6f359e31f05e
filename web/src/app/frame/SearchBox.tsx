import { SearchOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { AutoComplete, Button, type RefSelectProps } from 'antd'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { api } from '@/api/client'
import { usePermit } from '@/kit/Permit'
import { StateTag } from '@/kit/StateTag'
import { useDevice } from '@/kit/device'
import { paths } from '../routes'

/** Shortest text worth asking for. */
const MIN_LENGTH = 3

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** Finds a bike by car id or IMEI from any page. On a phone it lies over the header while it is used. */
export function SearchBox() {
  const mayLook = usePermit('0301||0302')
  const mobile = useDevice() === 'mobile'
  const [open, setOpen] = useState(false)
  if (!mayLook) return null
  if (!mobile) return <Field popupWidth={360} onDone={() => undefined} />
  return (
    <>
      <Button type="text" aria-label="搜索车辆" icon={<SearchOutlined />} onClick={() => setOpen(true)} />
      {open && (
        <div className="search-over" role="search">
          <Field autoFocus popupWidth onDone={() => setOpen(false)} />
          <Button type="link" onClick={() => setOpen(false)}>
            取消
          </Button>
        </div>
      )}
    </>
  )
}

interface FieldProps {
  autoFocus?: boolean
  /** Of the results, px; true: that of the field. */
  popupWidth: number | true
  /** A bike was chosen, or the search given up. */
  onDone(): void
}

/** The field and what it finds; `/` focuses it. */
function Field({ autoFocus = false, popupWidth, onDone }: FieldProps) {
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
    queryFn: ({ signal }) => api.get('/vehicle/search', { keyword }, { signal, quiet: true }),
    enabled: keyword.length >= MIN_LENGTH,
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
  const nothing = keyword.length >= MIN_LENGTH && found.isSuccess ? <span className="weak">没有找到车辆</span> : null
  return (
    <AutoComplete
      ref={input}
      autoFocus={autoFocus}
      className="search-box"
      allowClear
      aria-label="搜索车辆"
      prefix={<SearchOutlined aria-hidden />}
      suffixIcon={text === '' ? <kbd>/</kbd> : null}
      placeholder="车辆编号 / IMEI"
      value={text}
      options={options}
      notFoundContent={nothing}
      popupMatchSelectWidth={popupWidth}
      onChange={setText}
      onBlur={onDone}
      onSelect={(carId: string) => {
        setText('')
        input.current?.blur()
        onDone()
        void navigate(paths.bikeOnMap(carId))
      }}
      onInputKeyDown={(event) => {
        if (event.key !== 'Escape') return
        input.current?.blur()
        onDone()
      }}
    />
  )
}
