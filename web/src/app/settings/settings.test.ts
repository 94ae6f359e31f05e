import { theme as antdThemes } from 'antd'
import { beforeEach, describe, expect, it } from 'vitest'
import { compileTheme, nightTheme } from '../antdTheme'
import { useBrandStore, type WebConfig } from '../brand'
import { accentPresets, contrast, page } from '@/kit/theme'
import { changed, defaultSettings, resolve, settingNames, settingsIn, unavailable } from './settings'
import { useSettingsStore } from './store'

const top = resolve({ layout: 'topmenu' })

describe('settings', () => {
  it('SET-015 SET-016 SET-017 SET-018 SET-019 SET-020 SET-021 SET-022 SET-023 begin as specified', () => {
    expect(resolve()).toEqual({
      primaryColor: '#1890FF',
      navTheme: 'dark',
      layout: 'sidemenu',
      contentWidth: 'Fixed',
      fixedHeader: true,
      fixSiderbar: true,
      autoHideHeader: false,
      colorWeak: false,
      multiTab: false,
    })
  })

  it('SET-006 AMB-074 fluid width is for the menu at the top, and goes with it', () => {
    expect(unavailable('contentWidth', defaultSettings)).not.toBeNull()
    expect(unavailable('contentWidth', top)).toBeNull()
    const fluid = { ...top, contentWidth: 'Fluid' } as const
    expect(changed(fluid, 'layout', 'sidemenu').contentWidth).toBe('Fixed')
    expect(resolve({ contentWidth: 'Fluid' }).contentWidth).toBe('Fixed')
  })

  it('SET-009 AMB-075 a header that is not fixed does not hide itself, and a fixed one brings nothing back', () => {
    const hiding = resolve({ autoHideHeader: true })
    expect(hiding.autoHideHeader).toBe(true)
    const loose = { ...hiding, ...changed(hiding, 'fixedHeader', false) }
    expect(loose.autoHideHeader).toBe(false)
    expect(unavailable('autoHideHeader', loose)).not.toBeNull()
    expect({ ...loose, ...changed(loose, 'fixedHeader', true) }.autoHideHeader).toBe(false)
  })

  it('SET-011 AMB-075 a menu at the top is no fixed side menu, and going back brings nothing back', () => {
    const after = { ...defaultSettings, ...changed(defaultSettings, 'layout', 'topmenu') }
    expect(after.fixSiderbar).toBe(false)
    expect(unavailable('fixSiderbar', after)).not.toBeNull()
    expect({ ...after, ...changed(after, 'layout', 'sidemenu') }.fixSiderbar).toBe(false)
  })

  it('what cannot be a setting is left out', () => {
    const given: Record<string, unknown> = { navTheme: 'pink', layout: 7, multiTab: 'yes', colorWeak: 'true', fixedHeader: false, primaryColor: '' }
    expect(settingsIn((name) => given[name])).toEqual({ colorWeak: true, fixedHeader: false })
  })
})

describe('where settings come from', () => {
  beforeEach(() => {
    localStorage.clear()
    useBrandStore.setState({ config: null })
    useSettingsStore.getState().forget()
  })
  const { choose } = useSettingsStore.getState()
  const now = () => useSettingsStore.getState().settings
  const given = (settings: WebConfig['settings']) => useBrandStore.setState({ config: { settings } as WebConfig })

  it('AMB-072 the web configuration turns tabs on, and a choice of the person wins over it', () => {
    expect(now().multiTab).toBe(false)
    given({ multiTab: true })
    expect(now().multiTab).toBe(true)
    choose('multiTab', false)
    given({ multiTab: true })
    expect(now().multiTab).toBe(false)
    useSettingsStore.getState().forget()
    expect(now().multiTab).toBe(true)
  })

  it('CONST-024 AMB-083 every setting has one key, all with one prefix', () => {
    for (const name of settingNames) choose(name, defaultSettings[name])
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '')
    expect(keys.toSorted()).toEqual(settingNames.map((name) => `ebike_ops__${name}`).toSorted())
  })

  it('a choice is there after a reload, with what followed from it', () => {
    choose('autoHideHeader', true)
    choose('fixedHeader', false)
    choose('fixedHeader', true)
    useBrandStore.setState({ config: null })
    given({})
    expect(now()).toEqual(defaultSettings)
    expect(localStorage.getItem('ebike_ops__autoHideHeader')).toBe('false')
  })
})

describe('themes', () => {
  const look = { still: false, colorWeak: false }

  it('SET-003 there are eight accents, the first is the default, and each makes a theme', () => {
    expect(new Set(accentPresets.map(({ color }) => color)).size).toBe(8)
    expect(accentPresets[0].color).toBe(defaultSettings.primaryColor)
    for (const { color } of accentPresets) expect(compileTheme({ ...look, accent: color })?.antd.token?.colorPrimary).toBe(color)
  })

  it('AMB-078 what is no colour makes no theme', () => {
    for (const accent of ['', 'blue', '#12', '#12345G', 'url(x)']) expect(compileTheme({ ...look, accent })).toBeNull()
  })

  it('the menu reads well in every accent, by day and by night', () => {
    for (const { color } of accentPresets) {
      const menu = compileTheme({ ...look, accent: color })?.antd.components?.Menu ?? {}
      const chosen = contrast(String(menu.itemSelectedColor), String(menu.itemSelectedBg))
      expect(chosen, `${color} light`).toBeGreaterThanOrEqual(4.5)
      expect(contrast('#FFFFFF', String(menu.darkItemSelectedBg)), `${color} dark`).toBeGreaterThanOrEqual(4.5)
      expect(contrast(String(menu.darkItemColor), String(menu.darkItemBg))).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('a link reads well on every ground as it stands, is pointed at and is pressed, by day and by night', () => {
    for (const { color } of accentPresets) {
      const { antd } = compileTheme({ ...look, accent: color })!
      const night = { ...nightTheme, token: { ...antd.token, ...nightTheme.token } }
      for (const [theme, grounds] of [[antd, [page.panel, '#E3F0FF']], [night, [String(nightTheme.token?.colorBgContainer)]]] as const) {
        const token = antdThemes.getDesignToken(theme)
        for (const name of ['colorLink', 'colorLinkHover', 'colorLinkActive'] as const) {
          for (const ground of grounds) expect(contrast(token[name].toUpperCase(), ground), `${color} ${name} on ${ground}`).toBeGreaterThanOrEqual(4.5)
        }
      }
    }
  })

  it('SET-012 colour-weak colours are other ones, and AA', () => {
    const weak = compileTheme({ ...look, colorWeak: true, accent: '#1890FF' })?.antd.token ?? {}
    const usual = compileTheme({ ...look, accent: '#1890FF' })?.antd.token ?? {}
    for (const name of ['colorError', 'colorWarning', 'colorSuccess'] as const) {
      expect(weak[name]).not.toBe(usual[name])
      expect(contrast(String(weak[name]), page.panel), name).toBeGreaterThanOrEqual(4.5)
    }
  })
})
