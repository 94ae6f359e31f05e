/**
 * The one home of colours and sizes: antd, charts, the map and the walls read them from here.
 * Colour means state; the accent is the only other colour.
 */

/** Installed fonts only; no font is loaded over the network. */
export const fontFamily = '"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",system-ui,sans-serif'

/** Text sizes of pages, px. */
export const fontSize = { caption: 12, dense: 13, body: 14, section: 16, title: 20, figure: 24 } as const

/** Text sizes on the 1920×1080 stage of a wall, px. */
export const wallFontSize = { caption: 20, row: 24, section: 32, head: 56, only: 84 } as const

/** The accent of the specification, and the eight that a person may choose from. */
export const defaultAccent = '#1890FF'
export const accentPresets = [
  { name: '拂晓蓝', color: '#1890FF' },
  { name: '薄暮', color: '#F5222D' },
  { name: '火山', color: '#FA541C' },
  { name: '日暮', color: '#FAAD14' },
  { name: '明青', color: '#13C2C2' },
  { name: '极光绿', color: '#52C41A' },
  { name: '极客蓝', color: '#2F54EB' },
  { name: '酱紫', color: '#722ED1' },
] as const

/** A set of surfaces and inks. */
export interface Palette {
  background: string
  panel: string
  line: string
  text: string
  weakText: string
  accent: string
}

/** Light pages. */
export const page: Palette = {
  background: '#F3F5F8',
  panel: '#FFFFFF',
  line: '#E3E8EF',
  text: '#1F2937',
  weakText: '#5B6676',
  accent: defaultAccent,
}

/** Walls and the night mode of the map. */
export const wall: Palette = {
  background: '#0A1420',
  panel: '#101D2E',
  line: '#1E3148',
  text: '#E6EEF7',
  weakText: '#8CA0B8',
  accent: '#36A3FF',
}
export const night = wall

/** Ink on coloured fields and the red of what went wrong. */
export const ink = { onAccent: '#FFFFFF', danger: '#E5484D', warning: '#F5A623', good: '#13B981', past: '#F5A623' } as const

/** What went wrong, needs care or is good, in hues that eyes weak in red and green tell apart; AA on white. */
export const weakSight = { error: '#B34700', warning: '#8A6100', success: '#005FA3' } as const

/** The second sign of a state, for those who do not tell the colours apart. */
export type StateSign = 'dot' | 'heading' | 'ring' | 'square' | 'half' | 'cross' | 'triangle' | 'hollow' | 'halo'

/** How one state of a bike looks, everywhere. */
export interface StateStyle {
  key: string
  /** In words, as shown. */
  label: string
  color: string
  sign: StateSign
}

/** Indexed by the state number of the push protocol (0 to 7). */
export const stateStyle = [
  { key: 'rentable', label: '待使用', color: '#13B981', sign: 'dot' },
  { key: 'riding', label: '骑行中', color: '#2F7BFF', sign: 'heading' },
  { key: 'paused', label: '临停 / 预约', color: '#8B5CF6', sign: 'ring' },
  { key: 'field_work', label: '运维中', color: '#06B6D4', sign: 'square' },
  { key: 'low_battery', label: '低电', color: '#F5A623', sign: 'half' },
  { key: 'out_of_service', label: '故障 / 停运', color: '#E5484D', sign: 'cross' },
  { key: 'not_rentable', label: '不可租', color: '#B08968', sign: 'triangle' },
  { key: 'silent', label: '离线', color: '#8A94A6', sign: 'hollow' },
] as const satisfies readonly StateStyle[]

/** An alarm lies over any state. */
export const alarmStyle = { key: 'alarm', label: '告警', color: '#E5484D', sign: 'halo' } as const satisfies StateStyle

/** Ramp for heat and levels: one hue, light to dark. */
export const ramp = ['#E6F4FF', '#BAE0FF', '#91CAFF', '#69B1FF', '#4096FF', '#1677FF', '#0958D9', '#003EB3'] as const

/** Lines of a chart beside the accent's, in hues that eyes weak in red and green tell apart. */
export const chartLines = ['#8A6100', '#13A8A8', '#1F2937', '#B34700', '#722ED1'] as const

/** Motion, ms; nothing moves longer, and nothing at all for who asked the system for less. */
export const motion_ms = { quick: 120, change: 300 } as const

/** Sizes of the frame, px. */
export const frame = {
  header: 48,
  menuOpen: 256,
  menuCollapsed: 80,
  contentMargin: 24,
  /** Widest content under a menu at the top. */
  contentFixed: 1200,
  tabs: 40,
  topMenu: 44,
  /** From here on a header that hides itself is gone, px of scroll. */
  headerHides: 100,
  selectModal: 1000,
  drawer: 480,
  jobs: 400,
  drawerWide: 720,
  row: 40,
  tablet: 576,
  desktop: 1200,
} as const

function channels(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

function luminance(color: string): number {
  const [r, g, b] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** `color` laid on white, `share` of it. */
export function tint(color: string, share: number): string {
  const mixed = channels(color).map((channel) => Math.round(255 - (255 - channel) * share).toString(16).padStart(2, '0'))
  return `#${mixed.join('')}`.toUpperCase()
}

/** Contrast of two `#RRGGBB` colours, 1 to 21; AA asks for 4.5 for text. */
export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** `color`, darkened just so far that its contrast to white is `least`: AA for text of it, or for white text on it. */
export function readable(color: string, least = 4.5): string {
  let share = 1
  let result = color.toUpperCase()
  while (contrast(result, '#FFFFFF') < least && share > 0) {
    share -= 0.02
    const darker = channels(color).map((channel) => Math.round(channel * share).toString(16).padStart(2, '0'))
    result = `#${darker.join('')}`.toUpperCase()
  }
  return result
}
