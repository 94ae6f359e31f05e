import type { ThemeConfig } from 'antd'
import { fontFamily, fontSize, ink, page, readable, wall } from './theme'

/** antd in our colours, without motion when `still`. The accent itself marks; text and filled buttons take its readable shade. */
export function antdTheme(accent: string, still = false): ThemeConfig {
  const deep = readable(accent)
  // Links stand on marked rows too.
  const link = readable(accent, 5.4)
  return {
    token: {
      colorPrimary: accent,
      colorInfo: accent,
      colorLink: link,
      colorText: page.text,
      colorTextSecondary: page.weakText,
      colorTextDescription: page.weakText,
      colorTextPlaceholder: '#6B7686',
      colorBgLayout: page.background,
      colorBorderSecondary: page.line,
      colorError: '#D92D34',
      colorWarning: ink.warning,
      colorSuccess: '#0B8A5F',
      fontFamily,
      fontSize: fontSize.body,
      borderRadius: 6,
      // The style sheet takes the motion away; nothing may wait for its end.
      motion: !still,
      motionDurationMid: '0.16s',
      motionDurationSlow: '0.24s',
    },
    components: {
      Button: { colorPrimary: deep, colorPrimaryHover: accent, colorPrimaryActive: deep, primaryShadow: 'none', dangerShadow: 'none', defaultShadow: 'none' },
      Menu: {
        darkItemBg: wall.panel,
        darkSubMenuItemBg: wall.background,
        darkPopupBg: wall.panel,
        darkItemColor: '#B7C4D4',
        darkItemSelectedBg: deep,
        itemHeight: 38,
        iconSize: 16,
      },
      Table: {
        cellPaddingBlockMD: 8,
        cellPaddingBlockSM: 5,
        headerBg: '#F7F9FC',
        headerColor: page.weakText,
        headerSplitColor: 'transparent',
        rowHoverBg: '#F3F8FE',
        rowSelectedBg: '#EEF6FF',
        rowSelectedHoverBg: '#E3F0FF',
        cellFontSizeMD: fontSize.dense,
        cellFontSizeSM: fontSize.dense,
      },
      Drawer: { colorBgMask: 'rgba(10, 20, 32, 0.24)' },
      Form: { itemMarginBottom: 20, verticalLabelPadding: '0 0 6px' },
      Breadcrumb: { linkColor: page.weakText, itemColor: page.weakText, lastItemColor: page.text },
    },
  }
}

/** The tokens that plain CSS uses. */
export function cssVariables(accent: string): string {
  const entries = {
    '--page-background': page.background,
    '--page-panel': page.panel,
    '--page-line': page.line,
    '--page-text': page.text,
    '--page-weak': page.weakText,
    '--wall-panel': wall.panel,
    '--accent': accent,
    '--accent-deep': readable(accent),
    '--danger': '#C8242B',
    '--font': fontFamily,
  }
  return `:root{${Object.entries(entries)
    .map(([name, value]) => `${name}:${value}`)
    .join(';')}}`
}
