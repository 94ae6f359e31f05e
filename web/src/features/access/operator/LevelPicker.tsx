import { Checkbox } from 'antd'
import { tiers } from '../role/role'
import { levelOf, tiersOf } from './levels'

interface LevelPickerProps {
  id?: string
  /** Bit-or of the chosen tiers. */
  value?: number
  onChange?(level: number): void
}

/** Picks tiers by name; their sum is the level. */
export function LevelPicker({ id, value = 0, onChange }: LevelPickerProps) {
  return (
    <Checkbox.Group<number>
      // A group has no id of its own; the label of the field points here.
      className="level-picker"
      {...(id ? { name: id } : {})}
      value={tiersOf(value)}
      onChange={(chosen) => onChange?.(levelOf(chosen))}
      options={tiers.map((tier) => ({
        value: tier.value,
        label: (
          <>
            {tier.label} <span className="code-hint figure">{tier.value}</span>
          </>
        ),
      }))}
    />
  )
}
