import { theme as antdThemes, type ThemeConfig } from 'antd'
import { fontFamily, fontSize, ink, night, page, readable, tint, wall, weakSight } from '@/kit/theme'

/** What a theme is made of. */
export interface Look {
  /** `#RRGGBB`. */
  accent: string
  /** Nothing moves. */
  still: boolean
  /** Colours that stay apart for eyes that tell red and green badly. */
  colorWeak: boolean
}

export interface CompiledTheme {
  antd: ThemeConfig
  /** The tokens that plain CSS uses. */
  css: string
}

/** The theme of `look`; null when none can be made of it. */
export function compileTheme(look: Look): CompiledTheme | null {
  if (!/^#[\dA-F]{6}$/i.test(look.accent)) return null
  try {
    const antd = antdTheme(look)
    antdThemes.getDesignToken(antd)
    return { antd, css: cssVariables(look.accent) }
  } catch {
    return null
  }
}

/** What the live map and the frame around it lay over the theme. Not nothing by day: a theme that comes and goes would build all anew. */
export const dayTheme: ThemeConfig = {}
export const nightTheme: ThemeConfig = {
  algorithm: antdThemes.darkAlgorithm,
  token: {
    colorBgContainer: night.panel,
    colorBgElevated: night.panel,
    colorPrimary: night.accent,
    colorLink: night.accent,
    colorLinkHover: night.accent,
    colorLinkActive: night.accent,
    colorText: night.text,
    colorTextSecondary: night.weakText,
    colorTextDescription: night.weakText,
    colorTextPlaceholder: night.weakText,
    colorBorder: night.line,
    colorBorderSecondary: night.line,
    colorSplit: night.line,
  },
  components: {
    Tabs: { itemSelectedColor: night.accent, itemHoverColor: night.accent, itemActiveColor: night.accent },
    Breadcrumb: { linkColor: night.weakText, itemColor: night.weakText, lastItemColor: night.text },
  },
}

/** antd in our colours. The accent itself marks; text and filled buttons take its readable shade. */
function antdTheme({ accent, still, colorWeak }: Look): ThemeConfig {
  const deep = readable(accent)
  // Links stand on marked rows too.
  const link = readable(accent, 5.4)
  const states = colorWeak ? weakSight : { error: '#D92D34', warning: ink.warning, success: '#0B8A5F' }
  return {
    token: {
      colorPrimary: accent,
      colorInfo: accent,
      colorLink: link,
      // Left to itself, antd fades a link that is pointed at.
      colorLinkHover: readable(accent, 7),
      colorLinkActive: readable(accent, 8.5),
      colorText: page.text,
      colorTextSecondary: page.weakText,
      colorTextDescription: page.weakText,
      colorTextPlaceholder: '#6B7686',
      colorBgLayout: page.background,
      colorBorderSecondary: page.line,
      colorError: states.error,
      colorWarning: states.warning,
      colorSuccess: states.success,
      // Of a green as dark as text wants, antd would make a grey.
      colorSuccessBg: tint(states.success, 0.1),
      colorSuccessBorder: tint(states.success, 0.4),
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
        itemSelectedColor: link,
        itemSelectedBg: tint(accent, 0.1),
        subMenuItemSelectedColor: link,
        horizontalItemSelectedColor: link,
        horizontalItemSelectedBg: 'transparent',
        activeBarBorderWidth: 0,
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
      Tabs: { itemSelectedColor: link, itemHoverColor: link, itemActiveColor: link },
      Pagination: { itemActiveColor: deep, itemActiveColorHover: deep, colorPrimary: deep, colorPrimaryHover: deep },
      Drawer: { colorBgMask: 'rgba(10, 20, 32, 0.24)' },
      // What is on has to stand out from what is off, whatever the accent.
      Switch: { colorPrimary: readable(accent, 3.2), colorPrimaryHover: deep },
      Checkbox: { colorPrimary: readable(accent, 3.2), colorPrimaryHover: deep },
      Form: { itemMarginBottom: 20, verticalLabelPadding: '0 0 6px' },
      Breadcrumb: { linkColor: page.weakText, itemColor: page.weakText, lastItemColor: page.text },
    },
  }
}

function cssVariables(accent: string): string {
  const entries = {
    '--page-background': page.background,
    '--page-panel': page.panel,
    '--page-line': page.line,
    '--page-text': page.text,
    '--page-weak': page.weakText,
    '--wall-panel': wall.panel,
    '--wall-line': wall.line,
    '--wall-text': wall.text,
    '--wall-weak': wall.weakText,
    '--accent': accent,
    '--accent-deep': readable(accent),
    '--accent-tint': tint(accent, 0.1),
    '--wall-background': wall.background,
    '--wall-accent': wall.accent,
    '--danger': '#C8242B',
    '--warning-deep': weakSight.warning,
    '--font': fontFamily,
  }
  return `:root{${Object.entries(entries)
    .map(([name, value]) => `${name}:${value}`)
    .join(';')}}`
}
