import { Listy } from 'antd'
import { type ComponentRef, type KeyboardEvent, useEffect, useId, useRef } from 'react'

import { alarmStyle } from '@/kit/theme'
import { Dot, StateTag } from '@/kit/StateTag'
import { useBikeNames } from '@/live/hooks'
import { fleet } from '@/live/live'
import { ALARM_BIT } from '@/map/vehicles/fleetMath'

import './fleetList.css'

interface BikeRowsProps {
  slots: readonly number[]
  /** The row that the keys move; -1 for none. */
  active: number
  label: string
  /** Most px of height. */
  height: number
  /** Whether the keys work at once. */
  focused?: boolean
  /** The arrows went to a row. */
  onActive: (slot: number) => void
  /** A row was clicked, or taken with Enter. */
  onChoose: (slot: number) => void
}

/** As antd reckons a row of a virtual list by its tokens. */
const ROW_PX = 46

const noPadding = { item: { padding: 0, border: 0 } }

/** Bikes as rows: number, state and charge as they are now. Arrows go through them, Enter takes one. */
export function BikeRows({ slots, active, label, height, focused = false, onActive, onChoose }: BikeRowsProps) {
  const names = useBikeNames()
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<ComponentRef<typeof Listy>>(null)
  const id = useId()
  useEffect(() => {
    if (focused) box.current?.focus({ preventScroll: true })
  }, [focused])
  const at = slots.indexOf(active)
  useEffect(() => {
    if (at !== -1) list.current?.scrollTo({ key: active })
  }, [at, active])

  const press = (event: KeyboardEvent) => {
    const last = slots.length - 1
    const to = { ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last }[event.key]
    if (to === undefined && (event.key !== 'Enter' || at === -1)) return
    event.preventDefault()
    event.stopPropagation()
    const slot = slots[to ?? at]
    if (slot === undefined) return
    if (to === undefined) onChoose(slot)
    else onActive(slot)
  }

  const { bikes } = fleet
  return (
    <div
      ref={box}
      className="opmap-rows"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={at === -1 ? undefined : `${id}-${active}`}
      onKeyDown={press}
    >
      <Listy
        ref={list}
        items={slots.map((slot) => ({ slot }))}
        rowKey="slot"
        virtual
        styles={noPadding}
        height={Math.min(height, slots.length * ROW_PX)}
        itemRender={({ slot }) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the list has the focus and the keys
          <div
            id={`${id}-${slot}`}
            role="option"
            aria-selected={slot === active}
            className="opmap-row"
            onClick={() => onChoose(slot)}
          >
            <b>{names.of(slot) ?? '…'}</b>
            {(bikes.flags[slot]! & ALARM_BIT) !== 0 && <Dot label={alarmStyle.label} color={alarmStyle.color} />}
            <StateTag state={bikes.flags[slot]! & 0x0f} />
            <span className="opmap-charge">{bikes.soc[slot]}%</span>
          </div>
        )}
      />
    </div>
  )
}
