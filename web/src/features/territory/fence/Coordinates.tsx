import { Button, Input, Segmented } from 'antd'
import { useContext, useState } from 'react'
import { MapWishes } from '@/map/base/chosen'
import { type Datum, datumLabels } from '@/map/datum'
import type { Geometry } from './fence'
import { converted, read, written } from './geometry'

/** What coordinates are typed and copied in. */
const DATUMS = (['wgs84', 'gcj02'] as const).map((value) => ({ value, label: datumLabels[value] }))

interface CoordinatesProps {
  value: Geometry | null
  datum: Datum
  disabled: boolean
  onRead(geometry: Geometry, datum: Datum): void
}

/** The same as numbers, in either datum: to type, to copy, to paste. */
export function Coordinates({ value, datum, disabled, onRead }: CoordinatesProps) {
  const wish = useContext(MapWishes)
  const [shownIn, setShownIn] = useState(wish.datum ?? datum)
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? written(value && converted(value, shownIn, 'out'))
  const geometry = typed === null ? null : read(typed)
  return (
    <details className="fence-coordinates">
      <summary>坐标（{datumLabels[shownIn]}）</summary>
      {/* What is typed keeps its numbers and is read in the other datum. */}
      <Segmented<Datum>
        aria-label="坐标系"
        size="small"
        value={shownIn}
        onChange={setShownIn}
        options={DATUMS}
      />
      <span className="weak">{shownIn === 'wgs84' ? 'GPS、天地图的坐标' : '高德、腾讯地图的坐标'}</span>
      <Input.TextArea
        aria-label="坐标"
        autoSize={{ minRows: 3, maxRows: 8 }}
        disabled={disabled}
        value={text}
        placeholder={'每行一个顶点：经度, 纬度\n圆形写一行：经度, 纬度, 半径（米）'}
        status={typed !== null && geometry === null ? 'error' : ''}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button
        size="small"
        disabled={disabled || geometry === null}
        onClick={() => {
          if (geometry) onRead(converted(geometry, shownIn, 'in'), shownIn)
          setTyped(null)
        }}
      >
        画到地图上
      </Button>
      {typed !== null && geometry === null && <span className="fence-fault">至少三行“经度, 纬度”，或一行“经度, 纬度, 半径”</span>}
    </details>
  )
}
