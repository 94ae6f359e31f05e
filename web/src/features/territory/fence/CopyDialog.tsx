import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Input, Modal, Select } from 'antd'
import { useMemo, useState } from 'react'
import { api } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import { useBatch } from '@/kit/list/useBatch'
import CopyMap from './CopyMap'
import { copyOf, middleOf, middleOfAll } from './copy'
import { type Fence, fencesAround, stale } from './fence'
import { type Place, ringOf } from './geometry'
import { isWithin } from './merge'
import './fence.css'

interface CopyDialogProps {
  fences: readonly Fence[]
  onClose(): void
  /** The copies are on their way. */
  onCopied?: (() => void) | undefined
}

/** Copies fences into another area: chosen, moved there on the map, and saved as drafts with the same rules. */
export default function CopyDialog({ fences, onClose, onCopied }: CopyDialogProps) {
  const areas = useQuery(areasOf([]))
  const around = useQuery(fencesAround)
  const [areaId, setAreaId] = useState<string | null>(null)
  const [to, setTo] = useState<Place | null>(null)
  const from = useMemo(() => middleOfAll(fences), [fences])
  const rings = useMemo(() => fences.map(({ geometry }) => ringOf(geometry)), [fences])
  const area = around.data?.areas.find(({ id }) => id === areaId)
  const shown = useMemo(() => {
    if (!around.data || !area) return null
    const within = (all: typeof around.data.parkings) => all.filter((fence) => fence.areaId === area.id)
    const { parkings, noStops, noRides, customs } = around.data
    return { areas: [area], parkings: within(parkings), noStops: within(noStops), noRides: within(noRides), customs: within(customs) }
  }, [around, area])
  const runMany = useBatch<Fence>({ keyOf: ({ id }) => id, called: ({ name, areaName }) => `${name}（${areaName ?? ''}）`, short: ({ name }) => name, counter: '个', stale })

  const choose = (id: string) => {
    setAreaId(id)
    const ring = around.data?.areas.find((one) => one.id === id)?.ring
    // Where areas overlap it may stay where it is.
    setTo(ring && ring.length > 3 ? (isWithin(ring, from) ? from : middleOf(ring)) : null)
  }
  const copy = () => {
    if (!areaId || !to) return
    runMany(
      {
        act: '复制围栏',
        verb: '复制',
        rows: fences,
        none: '没有选择围栏',
        consequence: `按相同的规则存为「${area?.name ?? ''}」的新草稿，发布后才生效；原来的围栏不变。`,
        // Each is a draft of its own, and is judged alone.
        atOnce: 1,
        run: async ([key], options) => {
          const fence = fences.find(({ id }) => id === key)
          if (fence) await api.post('/fence', copyOf(fence, areaId, from, to), options)
          return {}
        },
      },
      () => {
        onCopied?.()
        onClose()
      },
    )
  }
  const called = fences.length === 1 ? `「${fences[0]!.name}」` : ` ${fences.length} 个围栏`
  return (
    <Modal
      open
      title={`复制${called}到其他服务区`}
      width={860}
      okText="复制为草稿"
      cancelText="取消"
      okButtonProps={{ disabled: !areaId || !to }}
      onOk={copy}
      onCancel={onClose}
      destroyOnHidden
    >
      <Form layout="vertical">
        <Form.Item label="服务区" htmlFor="copy-area" required>
          <Select
            id="copy-area"
            showSearch={{ optionFilterProp: 'label' }}
            placeholder="复制到哪个服务区"
            loading={areas.isFetching || around.isFetching}
            value={areaId}
            onChange={choose}
            options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Form.Item>
      </Form>
      {areaId && around.data && !to && <Alert type="warning" showIcon title="服务区还没有边界，无法复制围栏" />}
      {shown && to && (
        <>
          <CopyMap key={areaId} fences={shown} rings={rings} from={from} to={to} onTo={setTo} />
          <PlaceInput place={to} onPlace={setTo} />
        </>
      )}
    </Modal>
  )
}

/** The place as numbers, to type and to paste. */
function PlaceInput({ place, onPlace }: { place: Place; onPlace(place: Place): void }) {
  const [typed, setTyped] = useState<string | null>(null)
  const numbers = typed === null ? null : typed.trim().split(/[\s,，]+/).map(Number)
  const [lng, lat] = numbers ?? []
  const found = numbers?.length === 2 && Math.abs(lng!) <= 180 && Math.abs(lat!) <= 85
  const take = () => {
    if (found) onPlace([lng!, lat!])
    setTyped(null)
  }
  return (
    <div className="fence-place">
      <label className="weak" htmlFor="copy-place">
        中心位置（WGS-84，经度, 纬度）
      </label>
      <Input
        id="copy-place"
        size="small"
        status={typed !== null && !found ? 'error' : ''}
        value={typed ?? place.map((degree) => degree.toFixed(6)).join(', ')}
        onChange={({ target }) => setTyped(target.value)}
        onPressEnter={take}
        onBlur={take}
      />
    </div>
  )
}
