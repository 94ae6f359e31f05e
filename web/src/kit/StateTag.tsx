import { page, readable, stateStyle } from './theme'

export interface TagStyle {
  label: string
  color: string
}

/** The tag's ground is a tint of the same colour, and its row may be marked: more contrast than white would need. */
const TAG_CONTRAST = 6.2

/** A word with the colour of its state; the dot is the second sign. */
export function Dot({ label, color }: TagStyle) {
  return (
    <span className="state-tag" style={{ color: readable(color, TAG_CONTRAST), backgroundColor: `${color}1F` }}>
      <i style={{ backgroundColor: color }} />
      {label}
    </span>
  )
}

/** The state of a bike, 0 to 7; null when it never reported. */
export function StateTag({ state }: { state: number | null }) {
  const { label, color } = (state === null ? undefined : stateStyle[state]) ?? { label: '未知', color: page.weakText }
  return <Dot label={label} color={color} />
}

/** Enabled or disabled, of roles, accounts and settings. */
export function enabledTag(state: number): TagStyle {
  return state === 1 ? { label: '启用', color: stateStyle[0].color } : { label: '停用', color: stateStyle[7].color }
}

export function EnabledTag({ state }: { state: number }) {
  return <Dot {...enabledTag(state)} />
}
