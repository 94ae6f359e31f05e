import { App, ConfigProvider, Drawer } from 'antd'
import { type RefCallback, useEffect, useLayoutEffect, useState } from 'react'
import { type Location, useNavigationType } from 'react-router-dom'
import { dayTheme, nightTheme } from '../antdTheme'
import { useDaylight } from '@/map/daylight'
import { type DeviceClass, useDevice } from '@/kit/device'
import type { Route } from '../routes'
import type { Settings } from '../settings/settings'
import { useHasDrawer, useSettings } from '../settings/store'
import { HistoryContext } from '@/kit/record/history'
import { frame } from '@/kit/theme'
import { Header } from './Header'
import { useHeaderGone } from './headerScroll'
import { MainMenu } from './MainMenu'
import { KeptPage } from './Pages'
import { recordHistory } from './recordHistory'
import { SettingsButton } from './SettingsButton'
import { TabBar } from './TabBar'
import { activeTab, arrive, fillsFrame, isWall, TABS_MAX } from './tabs'
import { useTabs } from './tabStore'
import './frame.css'

/**
 * Whether the menu starts open: open on a desktop and as a drawer, collapsed on a tablet. A drawer would hide the
 * very thing that somebody opens a full-bleed page on a phone for, so there it waits for its button.
 */
function startsOpen(device: DeviceClass, bleeds: boolean): boolean {
  return device === 'desktop' || (device === 'mobile' && !bleeds)
}

/** Whether the menu of a phone has opened by itself; once is enough, the frame may come and go. */
let offered = false

/** Follows the address: its page gets a tab, or the tab that it has. */
function useArrivals(route: Route, location: Location, several: boolean): void {
  const arrival = useNavigationType()
  const { message } = App.useApp()
  useLayoutEffect(() => {
    const before = useTabs.getState()
    const after = arrive(before, location, route, arrival, several)
    useTabs.setState(after)
    const [first] = before.open
    const pushedOut = several && after.last !== before.last && before.open.length === TABS_MAX
    if (pushedOut && first) void message.info(`最多打开 ${TABS_MAX} 个标签，已关闭最早的「${first.route.title}」`)
    // oxlint-disable-next-line react/exhaustive-deps -- an arrival is a new location; how it came belongs to it
  }, [location, several])
}

/** What scrolls follows from what is fixed: the content alone, content and menu, or all with the header. */
function scrollerOf({ fixedHeader, fixSiderbar, layout }: Settings): 'content' | 'body' | 'frame' {
  if (!fixedHeader) return 'frame'
  return fixSiderbar || layout === 'topmenu' ? 'content' : 'body'
}

/** Each tab has a scroll position of its own, though all share one scroller. */
function useOwnScroll(element: HTMLElement | null, tab: number): void {
  const [places] = useState(() => new Map<number, number>())
  useLayoutEffect(() => {
    if (element === null) return undefined
    element.scrollTo({ top: places.get(tab) ?? 0, behavior: 'instant' })
    const keep = () => places.set(tab, element.scrollTop)
    element.addEventListener('scroll', keep, { passive: true })
    return () => element.removeEventListener('scroll', keep)
  }, [element, tab, places])
}

/** Menu, header and tabs around the pages below the root. */
export function Frame({ route, location }: { route: Route; location: Location }) {
  const settings = useSettings()
  const device = useDevice()
  const hasDrawer = useHasDrawer()
  useArrivals(route, location, settings.multiTab)
  const tabs = useTabs()
  const shown = activeTab(tabs)?.route ?? route
  const bleeds = fillsFrame(shown)
  // Around the map by night, and around a wall, a white frame would glare.
  const night = (useDaylight((store) => store.daylight) === 'night' && bleeds) || isWall(shown)
  const navTheme = night ? 'dark' : settings.navTheme

  const [open, setOpen] = useState(startsOpen(device, bleeds) && !(device === 'mobile' && offered))
  useEffect(() => {
    offered = true
  }, [])
  const [seen, setSeen] = useState(device)
  if (seen !== device) {
    setSeen(device)
    setOpen(startsOpen(device, bleeds))
  }

  const scroller = scrollerOf(settings)
  const [scrolling, setScrolling] = useState<HTMLElement | null>(null)
  const scrolls = (place: typeof scroller): RefCallback<HTMLElement> | undefined => (place === scroller ? setScrolling : undefined)
  useOwnScroll(scrolling, tabs.active)
  const gone = useHeaderGone(settings.autoHideHeader ? scrolling : null)

  const mobile = device === 'mobile'
  const top = settings.layout === 'topmenu' && !mobile
  const narrow = !open && !mobile
  const menu = (
    <MainMenu
      route={shown}
      theme={navTheme}
      shape={top ? 'top' : narrow ? 'narrow' : 'side'}
      onChoose={() => mobile && setOpen(false)}
    />
  )
  const classes = [
    'frame',
    `nav-${navTheme}`,
    night && 'frame-night',
    `scrolls-${scroller}`,
    settings.fixSiderbar && 'sider-fixed',
    top && settings.contentWidth === 'Fixed' && !bleeds && 'content-fixed',
  ]
  return (
    <div className={classes.filter(Boolean).join(' ')} ref={scrolls('frame')}>
      <a className="skip" href="#content" onClick={skipToContent}>
        跳到内容
      </a>
      <div className={gone ? 'frame-head frame-head-gone' : 'frame-head'}>
        <ConfigProvider theme={night ? nightTheme : dayTheme}>
          <Header
            route={shown}
            device={device}
            menu={top ? 'none' : open ? 'open' : 'folded'}
            onToggle={() => setOpen(!open)}
            settings={hasDrawer && !mobile}
          />
        </ConfigProvider>
        {top && (
          <nav className="top-menu" aria-label="主菜单">
            {menu}
          </nav>
        )}
      </div>
      <div className="frame-body" ref={scrolls('body')}>
        <div className="frame-row">
          {mobile && (
            <Drawer
              className={`menu-drawer nav-${navTheme}`}
              placement="left"
              size={frame.menuOpen}
              open={open}
              closable={false}
              title={null}
              footer={hasDrawer ? <SettingsButton words /> : null}
              onClose={() => setOpen(false)}
            >
              <nav aria-label="主菜单">{menu}</nav>
            </Drawer>
          )}
          {!mobile && !top && (
            <nav className="sider" aria-label="主菜单" style={{ width: open ? frame.menuOpen : frame.menuCollapsed }}>
              <div className="sider-menu">{menu}</div>
            </nav>
          )}
          <div className="frame-main">
            {settings.multiTab && <TabBar />}
            <main id="content" tabIndex={-1} className={bleeds ? 'content content-bleed' : 'content'} ref={scrolls('content')}>
              <HistoryContext value={recordHistory}>
                {tabs.open.map((tab) => (
                  <KeptPage key={tab.id} tab={tab} shown={tab.id === tabs.active} />
                ))}
              </HistoryContext>
            </main>
          </div>
        </div>
      </div>
    </div>
  )
}

/** The address belongs to the hash routes, so the jump is made by hand. */
function skipToContent(event: React.MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#content')?.focus()
}
