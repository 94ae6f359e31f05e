/**
 * How the frame looks, as a person may choose it. Pure rules; `store.ts` keeps the choice.
 * What a person chose wins over what the web configuration of the client says, and that over the defaults.
 */
import { defaultAccent } from '@/kit/theme'

export interface Settings {
  /** `#RRGGBB`; what is no colour makes no theme. */
  primaryColor: string
  /** Colours of the menu. */
  navTheme: 'dark' | 'light'
  layout: 'sidemenu' | 'topmenu'
  contentWidth: 'Fixed' | 'Fluid'
  fixedHeader: boolean
  fixSiderbar: boolean
  /** The header goes while one scrolls down. */
  autoHideHeader: boolean
  colorWeak: boolean
  /** Visited pages stay open as tabs. */
  multiTab: boolean
}

export type SettingName = keyof Settings

export const defaultSettings: Settings = {
  primaryColor: defaultAccent,
  navTheme: 'dark',
  layout: 'sidemenu',
  contentWidth: 'Fixed',
  fixedHeader: true,
  fixSiderbar: true,
  autoHideHeader: false,
  colorWeak: false,
  multiTab: false,
}

export const settingNames = Object.keys(defaultSettings) as SettingName[]

/** Every key that the frame keeps in the browser begins so. */
export const NAMESPACE = 'ebike_ops__'

/** Longest text that can be a setting. */
const TEXT_MAX = 32

const words: Partial<Record<SettingName, readonly string[]>> = {
  navTheme: ['dark', 'light'],
  layout: ['sidemenu', 'topmenu'],
  contentWidth: ['Fixed', 'Fluid'],
}

/** `value` as the setting `name`, or undefined when it cannot be one. A switch may come as text. */
function settingOf(name: SettingName, value: unknown): Settings[SettingName] | undefined {
  if (typeof defaultSettings[name] === 'boolean') {
    if (typeof value === 'boolean') return value
    return value === 'true' ? true : value === 'false' ? false : undefined
  }
  if (typeof value !== 'string' || value === '' || value.length > TEXT_MAX) return undefined
  const allowed = words[name]
  return allowed === undefined || allowed.includes(value) ? value : undefined
}

/** The settings in `source`; what is none is left out. */
export function settingsIn(source: (name: SettingName) => unknown): Partial<Settings> {
  const entries = settingNames.map((name) => [name, settingOf(name, source(name))] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Settings that follow from others, as they may be. */
export function settled(settings: Settings): Settings {
  const top = settings.layout === 'topmenu'
  return {
    ...settings,
    contentWidth: top ? settings.contentWidth : 'Fixed',
    fixSiderbar: settings.fixSiderbar && !top,
    autoHideHeader: settings.autoHideHeader && settings.fixedHeader,
  }
}

/** What holds, of all layers; later ones win. */
export function resolve(...layers: readonly Partial<Settings>[]): Settings {
  return settled(Object.assign({}, defaultSettings, ...layers) as Settings)
}

/** Settings that others take away. Bringing the others back brings nothing back by itself. */
const dependents: Partial<Record<SettingName, readonly SettingName[]>> = {
  layout: ['contentWidth', 'fixSiderbar'],
  fixedHeader: ['autoHideHeader'],
}

/** What has to be kept when `name` becomes `value`: itself, and what follows from it. */
export function changed<Name extends SettingName>(now: Settings, name: Name, value: Settings[Name]): Partial<Settings> {
  const next = settled({ ...now, [name]: value })
  return Object.fromEntries([name, ...(dependents[name] ?? [])].map((one) => [one, next[one]])) as Partial<Settings>
}

/** Why a setting cannot be chosen now, or null. */
export function unavailable(name: SettingName, settings: Settings): string | null {
  if (name === 'contentWidth' && settings.layout !== 'topmenu') return '流式宽度仅在顶部菜单下可选'
  if (name === 'fixSiderbar' && settings.layout === 'topmenu') return '顶部菜单没有侧边栏'
  if (name === 'autoHideHeader' && !settings.fixedHeader) return '需要先固定顶栏'
  return null
}
