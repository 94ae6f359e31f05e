import { AimOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { AutoComplete } from 'antd'
import { useDeferredValue, useState } from 'react'

import { StateTag } from '@/kit/StateTag'

import { bikesLike } from './queries'

/** Shortest text worth asking for. */
const MIN_LENGTH = 2

/** Finds a bike and flies to it. */
export function FindBox({ onFound }: { onFound: (carId: string) => void }) {
  const [text, setText] = useState('')
  const keyword = useDeferredValue(text.trim())
  const enough = keyword.length >= MIN_LENGTH
  const found = useQuery({ ...bikesLike(keyword), enabled: enough })
  const rows = enough ? (found.data?.rows ?? []) : []
  const take = (carId: string, element: EventTarget | null) => {
    setText('')
    if (element instanceof HTMLElement) element.blur()
    onFound(carId)
  }
  return (
    <AutoComplete
      className="opmap-find"
      allowClear
      aria-label="在地图上查找车辆"
      placeholder="找车：编号 / IMEI"
      prefix={<AimOutlined aria-hidden />}
      suffixIcon={text === '' ? <kbd className="opmap-key">f</kbd> : null}
      value={text}
      options={rows.map((bike) => ({
        value: bike.carId,
        label: (
          <span className="opmap-found">
            <b>{bike.carId}</b>
            <span>{bike.areaName}</span>
            <StateTag state={bike.state} />
          </span>
        ),
      }))}
      notFoundContent={enough && found.isSuccess ? '没有找到车辆' : null}
      popupMatchSelectWidth={340}
      onChange={setText}
      onSelect={(carId: string) => take(carId, document.activeElement)}
      onInputKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
        const [only] = rows
        if (event.key === 'Enter' && rows.length === 1 && only !== undefined) take(only.carId, event.currentTarget)
      }}
    />
  )
}
