import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { Tooltip } from 'antd'
import { useState } from 'react'

import type { FleetTotals } from '@/live/totals'
import type { Daylight } from '@/map/palette'
import { SignIcon } from '@/map/SignIcon'
import type { Mask } from '@/map/vehicles/fleetMath'

import { bitOf, countOf, filterFormulas, filterStyles, toggled } from './mapFilter'

interface StateRailProps {
  totals: FleetTotals | null
  mask: Mask
  daylight: Daylight
  /** The counts are those of a while ago. */
  stale: boolean
  onMask: (mask: Mask) => void
}

const whole = new Intl.NumberFormat('zh-CN')

/** The legend is the filter: each state with its sign and how many bikes are in it. */
export function StateRail({ totals, mask, daylight, stale, onMask }: StateRailProps) {
  const [open, setOpen] = useState(false)
  const chosen = filterStyles.filter((style) => (bitOf(style.key) & mask) !== 0)
  return (
    <section className={['opmap-rail', open && 'open', stale && 'stale'].filter(Boolean).join(' ')} aria-label="状态筛选">
      <button type="button" className="opmap-rail-grip" aria-expanded={open} onClick={() => setOpen(!open)}>
        {chosen.length === 0 ? '全部状态' : chosen.map((style) => style.label).join('、')}
        {open ? <DownOutlined aria-hidden /> : <UpOutlined aria-hidden />}
      </button>
      <header className="opmap-rail-head">
        <h2>状态</h2>
        <button type="button" className="opmap-link" disabled={mask === 0} onClick={() => onMask(0)}>
          全部
        </button>
      </header>
      <ul>
        {filterStyles.map((style) => {
          const active = (bitOf(style.key) & mask) !== 0
          return (
            <li key={style.key} className={style.key === 'alarm' ? 'apart' : undefined}>
              <Tooltip title={filterFormulas[style.key]} placement="right">
                <button
                  type="button"
                  aria-pressed={active}
                  className={mask !== 0 && !active ? 'opmap-state dimmed' : 'opmap-state'}
                  onClick={() => onMask(toggled(mask, style.key))}
                >
                  <SignIcon sign={style.sign} color={style.color} daylight={daylight} />
                  <span>{style.label}</span>
                  <b>{totals === null ? '–' : whole.format(countOf(style.key, totals))}</b>
                </button>
              </Tooltip>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
