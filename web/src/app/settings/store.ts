/** The settings of this browser: one key each in localStorage, all with one prefix. */
import { create } from 'zustand'
import { useBrandStore } from '../brand'
import { changed, NAMESPACE, resolve, type SettingName, type Settings, settingNames, settingsIn } from './settings'

const keyOf = (name: SettingName) => NAMESPACE + name

interface SettingsState {
  settings: Settings
  /** Chooses one setting; it wins over the web configuration from then on. */
  choose<Name extends SettingName>(name: Name, value: Settings[Name]): void
  /** Forgets every choice: what the client's configuration says holds again. */
  forget(): void
}

function read(): Settings {
  const given = useBrandStore.getState().config?.settings
  const own = new Map<string, unknown>(typeof given === 'object' && given !== null ? Object.entries(given) : [])
  return resolve(
    settingsIn((name) => own.get(name)),
    settingsIn((name) => localStorage.getItem(keyOf(name))),
  )
}

export const useSettingsStore = create<SettingsState>((set, get) => ({
  settings: read(),
  choose(name, value) {
    for (const [key, kept] of Object.entries(changed(get().settings, name, value))) {
      localStorage.setItem(keyOf(key as SettingName), String(kept))
    }
    set({ settings: read() })
  },
  forget() {
    for (const name of settingNames) localStorage.removeItem(keyOf(name))
    set({ settings: read() })
  },
}))

const again = () => useSettingsStore.setState({ settings: read() })

useBrandStore.subscribe((now, before) => {
  if (now.config !== before.config) again()
})
// Another window of the same browser chose.
window.addEventListener('storage', (event) => {
  if (event.key === null || event.key.startsWith(NAMESPACE)) again()
})

export function useSettings(): Settings {
  return useSettingsStore((state) => state.settings)
}

/** Whether the settings drawer is there: in the development preview, or where the client's configuration says so. */
export function useHasDrawer(preview: boolean = import.meta.env.DEV): boolean {
  return useBrandStore((state) => state.config?.settingDrawer === true) || preview
}
